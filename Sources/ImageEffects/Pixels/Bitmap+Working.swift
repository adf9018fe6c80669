internal import Raster

extension Bitmap {
    /// The pixels as effects take them: RGBA of `bits` to a channel, opaque or premultiplied.
    func working(_ bits: Int) throws(ImageError) -> Bitmap {
        try converted(to: bits == 16 ? .rgba16 : .rgba8, alpha: alpha.hasAlpha ? .premultiplied : AlphaMode.none)
    }
}

extension RowSource {
    /// The rows as effects take them: RGBA of `bits` to a channel, opaque or premultiplied.
    func working(_ bits: Int) throws(ImageError) -> any RowSource {
        try converted(to: bits == 16 ? .rgba16 : .rgba8, alpha: info.alpha.hasAlpha ? .premultiplied : AlphaMode.none)
    }
}
