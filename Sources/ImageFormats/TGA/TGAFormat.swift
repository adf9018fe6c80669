extension ImageFormat {
    /// TGA, Truevision's format, versions 1 and 2.
    public static let tga = ImageFormat(
        typeIdentifier: "com.truevision.tga-image", name: "TGA",
        mimeTypes: ["image/x-tga", "image/x-targa", "image/targa"],
        filenameExtensions: ["tga", "icb", "vda", "vst"])
}

extension BuiltInFormat {
    /// TGA, with run lengths.
    static let tga = BuiltInFormat(
        .tga,
        options: [FormatOption("tga-rle", \.tga.usesRunLengths, help: "compress with run-length encoding.")]
    ) { _ in TGACodec() }
}

extension EncodingOptions {
    /// Options that only TGA has.
    public var tga: TGA {
        get { self[TGA.self] }
        set { self[TGA.self] = newValue }
    }

    /// Options for TGA.
    public struct TGA: FormatEncodingOptions {
        /// Whether runs of equal pixels are stored as one (RLE), which makes drawings smaller.
        public var usesRunLengths: Bool

        /// Creates options; by default for uncompressed files.
        public init(usesRunLengths: Bool = false) { self.usesRunLengths = usesRunLengths }

        /// Uncompressed.
        public static let standard = TGA()
    }
}
