extension ImageFormat {
    /// JPEG (ITU-T T.81 in a JFIF, EXIF or Adobe file).
    public static let jpeg = ImageFormat(
        typeIdentifier: "public.jpeg", name: "JPEG", mimeTypes: ["image/jpeg", "image/jpg"],
        filenameExtensions: ["jpg", "jpeg", "jpe", "jfif"],
        signatures: [[0xFF, 0xD8, 0xFF]], iiifName: "jpg")
}

extension BuiltInFormat {
    /// JPEG.
    static let jpeg = BuiltInFormat(.jpeg, options: FormatOption.jpeg) { _ in JPEGCodec() }
}

extension FormatOption {
    /// Those of whatever is a JPEG.
    static let jpeg = [
        subsampling,
        FormatOption("progressive", \.jpeg.isProgressive, help: "write a picture that sharpens while it loads."),
        FormatOption("optimize", \.jpeg.optimizesTables, help: "make the file smaller with tables of its own."),
    ]

    /// Of whatever holds one.
    static let subsampling = FormatOption(
        "subsampling", \.jpeg.subsampling, valueName: "4:x:x",
        help: "4:4:4, 4:2:2, 4:2:0, 4:4:0 or 4:1:1, the resolution of colour differences.")
}

extension EncodingOptions {
    /// What only JPEG has.
    public var jpeg: JPEG {
        get { self[JPEG.self] }
        set { self[JPEG.self] = newValue }
    }

    /// Options for JPEG.
    public struct JPEG: FormatEncodingOptions {
        /// How much less resolution colour differences get than brightness.
        public enum Subsampling: String, Hashable, Sendable, CaseIterable {
            /// None.
            case yuv444 = "4:4:4"
            /// Half across.
            case yuv422 = "4:2:2"
            /// Half across and down.
            case yuv420 = "4:2:0"
            /// Half down.
            case yuv440 = "4:4:0"
            /// A quarter across.
            case yuv411 = "4:1:1"
        }

        /// How much less resolution colour differences get.
        public var subsampling: Subsampling
        /// Whether the file refines the picture scan by scan. Needs memory for all coefficients.
        public var isProgressive: Bool
        /// Whether Huffman tables are made for this picture: smaller, and needs memory for all coefficients.
        public var optimizesTables: Bool

        /// 4:2:0, baseline, the standard tables.
        public init(
            subsampling: Subsampling = .yuv420, isProgressive: Bool = false, optimizesTables: Bool = false
        ) {
            self.subsampling = subsampling
            self.isProgressive = isProgressive
            self.optimizesTables = optimizesTables
        }

        /// The options of a picture for which none are set.
        public static let standard = JPEG()
    }
}
