#if HEIF
internal import CTesseraHEIF
#endif

extension ImageFormat {
    /// HEIF with HEVC (ISO/IEC 23008-12).
    public static let heic = ImageFormat(
        typeIdentifier: "public.heic", name: "HEIC", mimeTypes: ["image/heic", "image/heic-sequence"],
        filenameExtensions: ["heic", "heics"],
        library: "heif")
    /// HEIF whatever its coding (ISO/IEC 23008-12).
    public static let heif = ImageFormat(
        typeIdentifier: "public.heif", name: "HEIF", mimeTypes: ["image/heif", "image/heif-sequence"],
        filenameExtensions: ["heif", "hif", "heifs"],
        library: "heif")
}

extension BuiltInFormat {
    #if HEIF
    /// HEIC and HEIF.
    static let heif = BuiltInFormat(.heic, .heif) { tessera_heif_available() ? HEIFCodec($0) : nil }
    #else
    /// HEIC and HEIF, which this build only knows by name.
    static let heif = BuiltInFormat(.heic, .heif)
    #endif
}
