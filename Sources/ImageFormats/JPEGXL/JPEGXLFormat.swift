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
    /// JPEG XL; a build without the trait can only identify it.
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
    /// Options that apply to JPEG XL only.
    public var jpegXL: JPEGXL {
        get { self[JPEGXL.self] }
        set { self[JPEGXL.self] = newValue }
    }

    /// The compression effort of a JPEG XL file.
    public struct JPEGXL: FormatEncodingOptions {
        /// The compression effort, 1 (fast) to 9 (small).
        public var effort: Int

        /// Creates options; the default effort is libjxl's.
        public init(effort: Int = 7) {
            self.effort = effort
        }

        /// Effort 7.
        public static let standard = JPEGXL()

        /// Throws `invalidParameter` for an effort outside 1 to 9.
        public func validate() throws(ImageError) {
            try EncodingOptions.check(effort, 1...9, "a JPEG XL effort")
        }
    }
}
