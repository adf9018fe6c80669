public import Raster

extension ImageFormat {
    /// GIF (87a and 89a).
    public static let gif = ImageFormat(
        typeIdentifier: "com.compuserve.gif", name: "GIF", mimeTypes: ["image/gif"], filenameExtensions: ["gif"],
        iiifName: "gif")
}

extension BuiltInFormat {
    /// GIF.
    static let gif = BuiltInFormat(.gif) { _ in GIFCodec() }
}

extension EncodingOptions {
    /// What only GIF has.
    public var gif: GIF {
        get { self[GIF.self] }
        set { self[GIF.self] = newValue }
    }

    /// Options for GIF.
    public struct GIF: FormatEncodingOptions {
        /// Colours in a palette, 2 to 256, transparency included.
        public var maximumColorCount: Int
        /// Whether colours that the palette lacks are mixed from neighbouring pixels.
        public var isDithered: Bool

        /// As many colours as there can be, dithered.
        public init(maximumColorCount: Int = 256, isDithered: Bool = true) {
            self.maximumColorCount = maximumColorCount
            self.isDithered = isDithered
        }

        /// The options of a picture for which none are set.
        public static let standard = GIF()

        /// Fewer than 2 colours or more than 256 are refused.
        public func validate() throws(ImageError) {
            try EncodingOptions.check(maximumColorCount, 2...256, "a GIF palette size")
        }
    }
}
