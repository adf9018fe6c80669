#if HEIF
internal import CTesseraHEIF
#endif

extension ImageFormat {
    /// HEIF with HEVC (ISO/IEC 23008-12).
    public static let heic = ImageFormat(
        typeIdentifier: "public.heic", name: "HEIC", mimeTypes: ["image/heic", "image/heic-sequence"],
        filenameExtensions: ["heic", "heics"],
        library: "heif")
    /// HEIF with any coding (ISO/IEC 23008-12).
    public static let heif = ImageFormat(
        typeIdentifier: "public.heif", name: "HEIF", mimeTypes: ["image/heif", "image/heif-sequence"],
        filenameExtensions: ["heif", "hif", "heifs"],
        library: "heif")
}

extension BuiltInFormat {
    /// HEIC and HEIF. A build without the trait has no codec for them.
    static let heif = BuiltInFormat(.heic, .heif, options: [.lossless]) { format in
        #if HEIF
        return tessera_heif_available() ? HEIFCodec(format) : nil
        #else
        return nil
        #endif
    }
}
