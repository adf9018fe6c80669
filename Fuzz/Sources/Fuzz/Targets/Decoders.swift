import ImageFormats

extension FuzzTarget {
    /// The JPEG decoder.
    static let jpeg = decoding("jpeg", with: JPEGCodec(), seedExtensions: ["jpg", "jpeg"]) { [Fixtures.jpeg] }

    /// The PNG decoder.
    static let png = decoding("png", with: PNGCodec(), seedExtensions: ["png"]) { [Fixtures.png] }

    /// The JPNG decoder.
    static let jpng = decoding("jpng", with: JPNGCodec(), seedExtensions: ["jpng"]) {
        [Fixtures.jpng, Fixtures.jpngWithJPEGMask]
    }
}
