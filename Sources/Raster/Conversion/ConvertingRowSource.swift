/// Converts another source's rows to another pixel format, and optionally to another alpha mode.
///
/// Alpha is applied at the greater depth of the two: before 16 bits become 8, after 8 have become 16. Rows that keep their
/// format are changed in place.
final class ConvertingRowSource: RowSource {
    let info: BitmapInfo
    var coverage: PixelRegion { source.coverage }
    private let source: any RowSource
    private let step: AlphaStep
    private let background: RGBA8
    /// Rows in the source's format, if it is a different one.
    private var strip: MutableBitmap
    private let keepsFormat: Bool
    private let appliesStepFirst: Bool

    init(
        _ source: any RowSource, format: PixelFormat, alpha: AlphaMode, background: RGBA8
    ) throws(ImageError) {
        self.source = source
        self.background = background
        let from = source.info
        info = BitmapInfo(size: from.size, format: format, alpha: alpha, profile: from.profile)
        step = AlphaStep(from: from.alpha, to: info.alpha)
        appliesStepFirst = format.isGray || format.bitsPerChannel < from.format.bitsPerChannel
        keepsFormat = format == from.format
        var room = from.strip(byteCount: 1 << 16)
        if keepsFormat { room.size = PixelSize(width: 1, height: 1) }
        strip = try MutableBitmap(uninitialized: room)
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        let (source, step, background, appliesStepFirst) = (source, step, background, appliesStepFirst)
        let count: Int
        if keepsFormat {
            count = try source.read(into: &rows)
        } else {
            let wanted = min(rows.count, strip.info.size.height)
            count = try strip.withMutableRows(0..<wanted) { (unconverted) throws(ImageError) in
                let count = try source.read(into: &unconverted)
                guard appliesStepFirst else { return count }
                var filled = unconverted.extracting(0..<count)
                filled.apply(step, background: background)
                return count
            }
            Self.convert(strip, rowCount: count, to: &rows)
        }
        if !appliesStepFirst {
            var filled = rows.extracting(0..<count)
            filled.apply(step, background: background)
        }
        return count
    }

    // The rows of a bitmap that is a class's property can be lent only to a call.
    private static func convert(_ strip: borrowing MutableBitmap, rowCount: Int, to rows: inout MutablePixelRows) {
        rows.convert(strip.rows.extracting(0..<rowCount))
    }
}

extension RowSource {
    /// This source's rows in `format` with the requested `alpha`; the profile is kept but not applied.
    ///
    /// If alpha is removed, or the format has none, pixels are laid over `background` (in the rows' own colour
    /// space; its alpha is ignored). Rounding is as in `MutablePixelRows.convert(_:at:)` and
    /// `premultiply()`. A source that already delivers this is returned unchanged.
    ///
    /// An rgba profile isn't valid for grey, nor the reverse: convert colours to sRGB first.
    /// - Throws: `outOfMemory` if there is no memory for a strip of rows.
    public func converted(
        to format: PixelFormat, alpha: AlphaMode, background: RGBA8 = RGBA8(255, 255, 255)
    ) throws(ImageError) -> any RowSource {
        let wanted = BitmapInfo(size: info.size, format: format, alpha: alpha, profile: info.profile)
        guard wanted != info else { return self }
        return try ConvertingRowSource(self, format: format, alpha: alpha, background: background)
    }
}

/// The conversion of rgba values from one alpha mode to another.
package enum AlphaStep: Hashable, Sendable {
    /// None.
    case keep
    /// Multiply the colours by alpha.
    case premultiply
    /// Divide the colours by alpha.
    case unpremultiply
    /// Lay straight colours over a background and make the pixels opaque.
    case flattenStraight
    /// Lay premultiplied colours over a background and make the pixels opaque.
    case flattenPremultiplied

    /// The step from `source` to `target`.
    package init(from source: AlphaMode, to target: AlphaMode) {
        self =
            switch (source, target) {
            // Opaque pixels are the same straight and premultiplied.
            case (.none, _), (.straight, .straight), (.premultiplied, .premultiplied): .keep
            case (.straight, .premultiplied): .premultiply
            case (.premultiplied, .straight): .unpremultiply
            case (.straight, .none): .flattenStraight
            case (.premultiplied, .none): .flattenPremultiplied
            }
    }
}
