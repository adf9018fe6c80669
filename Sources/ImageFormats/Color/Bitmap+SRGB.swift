package import Raster

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
