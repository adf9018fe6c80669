public import Raster

extension ImageFormat {
    /// JPNG: a JPEG for the colours, a mask behind it for the transparency. To a program that doesn't know it, a JPEG.
    public static let jpng = ImageFormat(
        typeIdentifier: "org.tessera.jpng", name: "JPNG", mimeTypes: ["image/x-jpng"], filenameExtensions: ["jpng"],
        iiifName: "jpng")
}

extension BuiltInFormat {
    /// JPNG.
    static let jpng = BuiltInFormat(
        .jpng,
        options: FormatOption.jpeg + [
            FormatOption("jpng-version", \.jpng.version, help: "1 for a PNG mask (exact), 2 for a JPEG mask."),
            FormatOption(
                "mask-quality", \.jpng.maskQuality, valueName: "quality",
                help: "in version 2, the mask's quality. Default: the picture's.", form: "a number from 0 to 1"),
        ]
    ) { _ in JPNGCodec() }
}

extension EncodingOptions {
    /// What only JPNG has.
    public var jpng: JPNG {
        get { self[JPNG.self] }
        set { self[JPNG.self] = newValue }
    }

    /// Options for JPNG.
    public struct JPNG: FormatEncodingOptions {
        /// 1 for a PNG mask, 2 for a JPEG mask.
        public var version: Int
        /// The quality of version 2's mask, above 0 to 1; nil: the colour part's.
        public var maskQuality: Double?

        /// Version 1.
        public init(version: Int = 1, maskQuality: Double? = nil) {
            self.version = version
            self.maskQuality = maskQuality
        }

        /// The options of a picture for which none are set.
        public static let standard = JPNG()

        /// A version that there isn't, and a quality outside 0 to 1, are refused.
        public func validate() throws(ImageError) {
            if let maskQuality { try EncodingOptions.checkQuality(maskQuality) }
            guard version == 1 || version == 2 else {
                throw ImageError(.invalidParameter, "JPNG has versions 1 and 2, not \(version)")
            }
        }
    }
}
