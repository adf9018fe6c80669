package import Raster

/// Converts rows to sRGB, or to PQ for high dynamic range, in place.
package final class ColorConverter: Sendable {
    private let conversion: ColorConversion

    /// Creates a converter for rows described by `info`; nil if their values can be treated as sRGB.
    ///
    /// They can for sRGB, for profiles that differ from it by no more than 1 of 255, and for profiles that are broken
    /// or for another colour space than the pixels'. Alpha never changes.
    /// - Parameter range: The range to which PQ and HLG are compressed; nil also if they fit it as they are.
    /// - Throws: `unsupported` for premultiplied colours, which can't be converted.
    package init?(from info: BitmapInfo, for range: DynamicRange = .standard) throws(ImageError) {
        conversion = ColorConversion.find(info.profile, info.format, for: range)
        if case .none = conversion { return nil }
        guard info.alpha != .premultiplied else {
            throw ImageError(.unsupported, "premultiplied colours can't be converted to another colour space")
        }
    }

    /// Converts all of `rows` in place, on several threads where there are enough of them.
    package func convert(_ rows: inout MutablePixelRows) {
        let conversion = conversion
        rows.performInStrips { (strip, _) in conversion.convert(&strip) }
    }
}

/// Converts another source's rows to sRGB, or to PQ for high dynamic range, as they are read.
package final class SRGBRowSource: RowSource {
    private let source: any RowSource
    private let converter: ColorConverter?
    /// The format of `source`'s rows, in the new colour space.
    package let info: BitmapInfo
    /// The same as in `source`.
    package var coverage: PixelRegion { source.coverage }

    /// Creates a source of the rows of `source` in sRGB. A profile that can't be used is treated as sRGB.
    /// - Parameter range: The range to which PQ and HLG are compressed.
    package init(_ source: any RowSource, for range: DynamicRange = .standard) throws(ImageError) {
        self.source = source
        converter = try ColorConverter(from: source.info, for: range)
        info = source.info.converted(for: range)
    }

    /// Reads rows from the other source and converts them.
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
    /// The same format with the profile of pixels converted for `range`.
    func converted(for range: DynamicRange) -> BitmapInfo {
        BitmapInfo(size: size, format: format, alpha: alpha, profile: profile.converted(for: range))
    }
}

extension Bitmap {
    /// Returns the bitmap in sRGB, without a copy if its values can be treated as sRGB.
    /// - Throws: `unsupported` for premultiplied colours, and `outOfMemory`.
    package func convertedToSRGB() throws(ImageError) -> Bitmap { try converted(for: .standard) }

    /// Returns the bitmap in sRGB, or if its profile is in high dynamic range, converted for `range`.
    /// - Throws: `unsupported` for premultiplied colours, and `outOfMemory`.
    package func converted(for range: DynamicRange) throws(ImageError) -> Bitmap {
        let profile = profile.converted(for: range)
        guard let converter = try ColorConverter(from: info, for: range) else {
            return withMeaning(alpha: alpha, profile: profile)
        }
        var copy = try mutableCopy()
        var rows = copy.mutableRows
        converter.convert(&rows)
        return copy.freeze().withMeaning(alpha: alpha, profile: profile)
    }
}
