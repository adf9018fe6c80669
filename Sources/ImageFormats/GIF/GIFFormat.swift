public import Raster

extension ImageFormat {
    /// GIF (87a and 89a).
    public static let gif = ImageFormat(
        typeIdentifier: "com.compuserve.gif", name: "GIF", mimeTypes: ["image/gif"], filenameExtensions: ["gif"],
        signatures: [Array("GIF87a".utf8), Array("GIF89a".utf8)], iiifName: "gif")
}

extension BuiltInFormat {
    /// GIF.
    static let gif = BuiltInFormat(
        .gif,
        options: [
            FormatOption(
                "colors", \.gif.maximumColorCount, valueName: "count", help: "how many colours, 2 to 256."),
            FormatOption(
                "no-dither", \.gif.isDithered, is: false,
                help: "don't mix colours that are missing from dots of others."),
        ]
    ) { _ in GIFCodec() }
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
