#if JPEGXL
internal import CTesseraJXL
#endif
public import Raster

extension ImageFormat {
    /// JPEG XL (ISO/IEC 18181).
    public static let jpegXL = ImageFormat(
        typeIdentifier: "public.jpeg-xl", name: "JPEG XL", mimeTypes: ["image/jxl"], filenameExtensions: ["jxl"],
        signatures: [[0xFF, 0x0A], [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20]], iiifName: "jxl", library: "jpegXL")
}

extension BuiltInFormat {
    /// JPEG XL, which a build without the trait only knows by name.
    static let jpegXL = BuiltInFormat(
        .jpegXL, options: [.lossless, FormatOption("jxl-effort", \.jpegXL.effort, help: "1 (fast) to 9 (small).")]
    ) { _ in
        #if JPEGXL
        return tessera_jxl_available() ? JPEGXLCodec() : nil
        #else
        return nil
        #endif
    }
}

extension EncodingOptions {
    /// What only JPEG XL has.
    public var jpegXL: JPEGXL {
        get { self[JPEGXL.self] }
        set { self[JPEGXL.self] = newValue }
    }

    /// Options for JPEG XL.
    public struct JPEGXL: FormatEncodingOptions {
        /// How hard to look for a small file, 1 (fast) to 9.
        public var effort: Int

        /// libjxl's default effort.
        public init(effort: Int = 7) {
            self.effort = effort
        }

        /// The options of a picture for which none are set.
        public static let standard = JPEGXL()

        /// An effort outside 1 to 9 is refused.
        public func validate() throws(ImageError) {
            try EncodingOptions.check(effort, 1...9, "a JPEG XL effort")
        }
    }
}
