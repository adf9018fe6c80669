public import Raster

extension ImageFormat {
    /// JPNG: a JPEG with the colours, followed by a mask with the transparency. Other programs read it as a JPEG.
    public static let jpng = ImageFormat(
        typeIdentifier: "org.tessera.jpng", name: "JPNG", mimeTypes: ["image/x-jpng"], filenameExtensions: ["jpng"],
        iiifName: "jpng")
}

extension BuiltInFormat {
    /// JPNG, with the options of its JPEG parts and of its PNG mask.
    static let jpng = BuiltInFormat(
        .jpng,
        options: FormatOption.jpeg + [
            FormatOption("jpng-version", \.jpng.version, help: "1 for a PNG mask (exact), 2 for a JPEG mask."),
            FormatOption(
                "mask-quality", \.jpng.maskQuality, valueName: "quality",
                help: "in version 2, the mask's quality. Default: the picture's.", form: "a number from 0 to 1"),
            FormatOption(
                "no-jpng-tag", \.jpng.isTagged, is: false,
                help: "leave out the tag that file managers recognise."),
            .compressionLevel,
        ]
    ) { _ in JPNGCodec() }
}

extension EncodingOptions {
    /// Options that apply to JPNG only.
    public var jpng: JPNG {
        get { self[JPNG.self] }
        set { self[JPNG.self] = newValue }
    }

    /// The kind and quality of a JPNG's mask.
    public struct JPNG: FormatEncodingOptions {
        /// 1 for a PNG mask, 2 for a JPEG mask.
        public var version: Int
        /// The quality of a version 2 mask, above 0 to 1; nil for the colour part's.
        public var maskQuality: Double?
        /// Whether the file has a `JPNGTag`, by which content sniffing distinguishes it from a JPEG.
        public var isTagged: Bool

        /// Creates options; the default is version 1, with a PNG mask and a tag.
        public init(version: Int = 1, maskQuality: Double? = nil, isTagged: Bool = true) {
            self.version = version
            self.maskQuality = maskQuality
            self.isTagged = isTagged
        }

        /// Version 1 with a tag.
        public static let standard = JPNG()

        /// Throws `invalidParameter` for a version other than 1 and 2, or an invalid mask quality.
        public func validate() throws(ImageError) {
            if let maskQuality { try EncodingOptions.checkQuality(maskQuality) }
            guard version == 1 || version == 2 else {
                throw ImageError(.invalidParameter, "JPNG has versions 1 and 2, not \(version)")
            }
        }
    }
}
