public import Raster

extension ImageFormat {
    /// PNG (ISO/IEC 15948), including animated PNG (APNG).
    public static let png = ImageFormat(
        typeIdentifier: "public.png", name: "PNG", mimeTypes: ["image/png", "image/apng", "image/vnd.mozilla.apng"],
        filenameExtensions: ["png", "apng"],
        signatures: [[0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]], iiifName: "png")
}

extension BuiltInFormat {
    /// PNG, with a compression level.
    static let png = BuiltInFormat(.png, options: [.compressionLevel]) { _ in PNGCodec() }
}

extension FormatOption {
    /// The level of Deflate, for every format that contains a PNG encoded with the options.
    static let compressionLevel = FormatOption(
        "compression-level", \.png.compressionLevel, help: "0 (fast) to 9 (small).")
}

extension EncodingOptions {
    /// Options that apply to PNG only.
    public var png: PNG {
        get { self[PNG.self] }
        set { self[PNG.self] = newValue }
    }

    /// Compression and colour reduction of a PNG file.
    public struct PNG: FormatEncodingOptions {
        /// The compression level, 0 (stored) to 9 (smallest).
        public var compressionLevel: Int
        /// Whether to use a palette, fewer bits or grey where that is lossless.
        public var reducesColors: Bool

        /// Creates options; by default the standard level, with lossless colour reduction.
        public init(compressionLevel: Int = PNG.defaultCompressionLevel, reducesColors: Bool = true) {
            self.compressionLevel = compressionLevel
            self.reducesColors = reducesColors
        }

        /// A level that is fast, with files no larger than other encoders' defaults.
        public static let defaultCompressionLevel = 5

        /// The default level, with lossless colour reduction.
        public static let standard = PNG()

        /// Throws `invalidParameter` for a level outside 0 to 9.
        public func validate() throws(ImageError) {
            try EncodingOptions.check(compressionLevel, 0...9, "a compression level")
        }
    }
}
