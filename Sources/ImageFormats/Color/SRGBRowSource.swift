package import Raster

/// Rows of another source, converted to sRGB as they pass.
package final class SRGBRowSource: RowSource {
    private let source: any RowSource
    private let converter: ColorConverter?
    /// What `source` delivers, in sRGB.
    package let info: BitmapInfo

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
