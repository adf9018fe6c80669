internal import Dispatch
package import Raster

/// Converts rows to sRGB, in place.
package final class ColorConverter: Sendable {
    private let conversion: ColorConversion

    /// A converter for rows as `info` describes them; nil when their values can be taken for sRGB as they are.
    ///
    /// That is so for sRGB, for profiles whose colours differ from it by no more than 1 of 255, and for profiles that
    /// can't be used: broken, or of another colour space than the pixels. Alpha is never touched.
    /// - Throws: `unsupported` for premultiplied colours, whose values say nothing without alpha.
    package init?(from info: BitmapInfo) throws(ImageError) {
        conversion = ColorConversion.find(info.profile, info.format)
        if case .none = conversion { return nil }
        guard info.alpha != .premultiplied else {
            throw ImageError(.unsupported, "premultiplied colours can't be converted to another colour space")
        }
    }

    /// Converts all of `rows`, on all processors when there are many.
    package func convert(_ rows: inout MutablePixelRows) {
        let pieces = min(rows.count, rows.width * rows.count / Self.pixelsPerPiece)
        guard pieces > 1 else { return conversion.convert(&rows) }
        let (format, width, count, stride) = (rows.format, rows.width, rows.count, rows.bytesPerRow)
        rows.withUnsafeBase { base in
            let shared = SharedRows(base: base)
            DispatchQueue.concurrentPerform(iterations: pieces) { piece in
                let first = count * piece / pieces
                // The pieces are disjoint, and the caller's rows stay borrowed until all are done.
                var owner = shared
                var some = MutablePixelRows(
                    unsafe: shared.base + first * stride, format: format, width: width,
                    count: count * (piece + 1) / pieces - first, bytesPerRow: stride, owner: &owner)
                conversion.convert(&some)
            }
        }
    }

    /// Enough for a piece to outweigh handing it to another thread by far.
    private static let pixelsPerPiece = 1 << 17

    /// Unchecked: each thread takes rows of its own from it.
    private struct SharedRows: @unchecked Sendable {
        let base: UnsafeMutableRawPointer
    }
}

/// Rows of another source, converted to sRGB as they pass.
package final class SRGBRowSource: RowSource {
    private let source: any RowSource
    private let converter: ColorConverter?
    /// What `source` delivers, in sRGB.
    package let info: BitmapInfo
    /// As in `source`.
    package var coverage: PixelRegion { source.coverage }

    /// The rows of `source` in sRGB. A profile that can't be used is taken for sRGB.
    package init(_ source: any RowSource) throws(ImageError) {
        self.source = source
        converter = try ColorConverter(from: source.info)
        info = source.info.inSRGB
    }

    /// Pulls rows from the other source and converts them.
    package func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        let count = try source.read(into: &rows)
        if count > 0, let converter {
            var filled = rows.extracting(0..<count)
            converter.convert(&filled)
        }
        return count
    }
}

extension BitmapInfo {
    /// The same, its values meant in sRGB.
    var inSRGB: BitmapInfo {
        BitmapInfo(size: size, format: format, alpha: alpha, profile: .sRGB)
    }
}

extension Bitmap {
    /// The same picture in sRGB; itself where its values can be taken for that.
    /// - Throws: `unsupported` for premultiplied colours, and `outOfMemory`.
    package func convertedToSRGB() throws(ImageError) -> Bitmap {
        guard let converter = try ColorConverter(from: info) else {
            return withMeaning(alpha: alpha, profile: .sRGB)
        }
        var copy = try mutableCopy()
        var rows = copy.mutableRows
        converter.convert(&rows)
        return copy.freeze().withMeaning(alpha: alpha, profile: .sRGB)
    }
}
