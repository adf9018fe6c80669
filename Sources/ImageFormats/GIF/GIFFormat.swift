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
                "colors", \.gif.maximumColorCount, valueName: "count", help: "number of colours, 2 to 256."),
            FormatOption(
                "no-dither", \.gif.isDithered, is: false,
                help: "don't dither."),
        ]
    ) { _ in GIFCodec() }
}

extension EncodingOptions {
    /// The options for GIF.
    public var gif: GIF {
        get { self[GIF.self] }
        set { self[GIF.self] = newValue }
    }

    /// Options for GIF.
    public struct GIF: FormatEncodingOptions {
        /// The maximum number of palette entries, 2 to 256, including one for transparency.
        public var maximumColorCount: Int
        /// Whether to dither: approximate colours missing from the palette by mixing neighbouring pixels.
        public var isDithered: Bool

        /// Options with 256 colours and dithering by default.
        public init(maximumColorCount: Int = 256, isDithered: Bool = true) {
            self.maximumColorCount = maximumColorCount
            self.isDithered = isDithered
        }

        /// The default options.
        public static let standard = GIF()

        /// - Throws: `invalidParameter` for fewer than 2 or more than 256 colours.
        public func validate() throws(ImageError) {
            try EncodingOptions.check(maximumColorCount, 2...256, "a GIF palette size")
        }
    }
}
