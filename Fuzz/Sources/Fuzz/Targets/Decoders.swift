import ImageFormats

extension FuzzTarget {
    /// The JPEG decoder.
    ///
    /// libjpeg has a fast and a slow loop for sequential data and takes the one that the bytes at hand allow. They agree
    /// on what is valid, not on what codes of no meaning stand for.
    static let jpeg = decoding(
        "jpeg", with: JPEGCodec(), seedExtensions: ["jpg", "jpeg"], comparesPixels: \.isProgressive
    ) { [Fixtures.jpeg] }

    /// The PNG decoder.
    static let png = decoding("png", with: PNGCodec(), seedExtensions: ["png"]) { [Fixtures.png] }

    /// The JPNG decoder, whose colours are a JPEG's.
    static let jpng = decoding(
        "jpng", with: JPNGCodec(), seedExtensions: ["jpng"], comparesPixels: \.isProgressive
    ) { [Fixtures.jpng, Fixtures.jpngWithJPEGMask] }
}
