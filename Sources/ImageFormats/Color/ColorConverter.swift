internal import Raster

/// Converts rows to sRGB, in place.
final class ColorConverter {
    /// What rows are after conversion.
    let info: BitmapInfo

    /// A converter for rows as `info` describes them; nil when they are sRGB already.
    init?(from info: BitmapInfo) throws(ImageError) {
        return nil
    }

    /// Converts all of `rows`.
    func convert(_ rows: inout MutablePixelRows) {}
}
