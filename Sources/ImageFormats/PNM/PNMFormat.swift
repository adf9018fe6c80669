extension ImageFormat {
    /// The Netpbm formats: PBM, PGM, PPM and PAM.
    public static let pnm = ImageFormat(
        typeIdentifier: "public.pbm", name: "PNM",
        mimeTypes: [
            "image/x-portable-anymap", "image/x-portable-pixmap", "image/x-portable-graymap",
            "image/x-portable-bitmap", "image/x-portable-arbitrarymap",
        ],
        filenameExtensions: ["pnm", "ppm", "pgm", "pbm", "pam"])
}

extension BuiltInFormat {
    /// PNM, always available.
    static let pnm = BuiltInFormat(.pnm) { _ in PNMCodec() }
}
