extension ImageFormat {
    /// JPEG (ITU-T T.81) in a JFIF, EXIF or Adobe file.
    public static let jpeg = ImageFormat(
        typeIdentifier: "public.jpeg", name: "JPEG", mimeTypes: ["image/jpeg", "image/jpg"],
        filenameExtensions: ["jpg", "jpeg", "jpe", "jfif"],
        signatures: [[0xFF, 0xD8, 0xFF]], iiifName: "jpg")
}

extension BuiltInFormat {
    /// JPEG, read and written with libjpeg-turbo.
    static let jpeg = BuiltInFormat(.jpeg, options: FormatOption.jpeg) { _ in JPEGCodec() }
}

extension FormatOption {
    /// Options of every format that writes a JPEG file.
    static let jpeg = [
        subsampling,
        FormatOption("progressive", \.jpeg.isProgressive, help: "write a progressive JPEG."),
        FormatOption("optimize", \.jpeg.optimizesTables, help: "optimise the Huffman tables, for a smaller file."),
        FormatOption("trellis", \.jpeg.usesTrellis, help: "weigh each coefficient's bits against what they show."),
    ]

    /// Chroma subsampling, for every format that contains a JPEG.
    static let subsampling = FormatOption(
        "subsampling", \.jpeg.subsampling, valueName: "4:x:x",
        help: "chroma subsampling: 4:4:4, 4:2:2, 4:2:0, 4:4:0 or 4:1:1.")
}

extension EncodingOptions {
    /// Options that apply to JPEG only.
    public var jpeg: JPEG {
        get { self[JPEG.self] }
        set { self[JPEG.self] = newValue }
    }

    /// Subsampling, progressive scans and Huffman tables of a JPEG file.
    public struct JPEG: FormatEncodingOptions {
        /// The resolution of chroma relative to luma, named by the usual J:a:b ratios.
        public enum Subsampling: String, Hashable, Sendable, CaseIterable {
            /// Full chroma resolution.
            case yuv444 = "4:4:4"
            /// Half the chroma resolution horizontally.
            case yuv422 = "4:2:2"
            /// Half the chroma resolution horizontally and vertically.
            case yuv420 = "4:2:0"
            /// Half the chroma resolution vertically.
            case yuv440 = "4:4:0"
            /// A quarter of the chroma resolution horizontally.
            case yuv411 = "4:1:1"
        }

        /// The resolution of chroma relative to luma.
        public var subsampling: Subsampling
        /// Whether the file refines the image scan by scan. Encoding holds all coefficients in memory.
        public var isProgressive: Bool
        /// Whether the file has Huffman tables optimised for the image: smaller, but encoding holds all coefficients in
        /// memory.
        public var optimizesTables: Bool
        /// Whether coefficients are weighed against the bits that they cost ("trellis quantisation"), in steps made for it: a
        /// smaller file of the same quality, in more time. Optimises the tables; a target sets it, and progressive scans.
        public var usesTrellis: Bool

        /// Creates options; the defaults are 4:2:0, baseline and the standard tables.
        public init(
            subsampling: Subsampling = .yuv420, isProgressive: Bool = false, optimizesTables: Bool = false,
            usesTrellis: Bool = false
        ) {
            self.subsampling = subsampling
            self.isProgressive = isProgressive
            self.optimizesTables = optimizesTables
            self.usesTrellis = usesTrellis
        }

        /// 4:2:0, baseline and the standard tables.
        public static let standard = JPEG()
    }
}
