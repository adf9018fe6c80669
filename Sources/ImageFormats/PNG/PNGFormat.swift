public import Raster

extension ImageFormat {
    /// PNG (ISO/IEC 15948), animated (APNG) or not.
    public static let png = ImageFormat(
        typeIdentifier: "public.png", name: "PNG", mimeTypes: ["image/png", "image/apng", "image/vnd.mozilla.apng"],
        filenameExtensions: ["png", "apng"],
        signatures: [[0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]], iiifName: "png")
}

extension BuiltInFormat {
    /// PNG.
    static let png = BuiltInFormat(
        .png, options: [FormatOption("compression-level", \.png.compressionLevel, help: "0 (fast) to 9 (small).")]
    ) { _ in PNGCodec() }
}

extension EncodingOptions {
    /// What only PNG has.
    public var png: PNG {
        get { self[PNG.self] }
        set { self[PNG.self] = newValue }
    }

    /// Options for PNG.
    public struct PNG: FormatEncodingOptions {
        /// How hard to compress, 0 (stored) to 9.
        public var compressionLevel: Int
        /// Whether a picture that fits a palette, fewer bits or grey losslessly is written that way.
        public var reducesColors: Bool

        /// The default level, with colours reduced where that loses nothing.
        public init(compressionLevel: Int = PNG.defaultCompressionLevel, reducesColors: Bool = true) {
            self.compressionLevel = compressionLevel
            self.reducesColors = reducesColors
        }

        /// The level that is fast and no larger than what others make by default.
        public static let defaultCompressionLevel = 5

        /// The options of a picture for which none are set.
        public static let standard = PNG()

        /// A level outside 0 to 9 is refused.
        public func validate() throws(ImageError) {
            try EncodingOptions.check(compressionLevel, 0...9, "a compression level")
        }
    }
}
