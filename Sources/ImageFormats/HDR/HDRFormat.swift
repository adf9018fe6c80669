extension ImageFormat {
    /// Radiance HDR, also called RGBE or PIC.
    public static let hdr = ImageFormat(
        typeIdentifier: "public.radiance", name: "Radiance HDR", mimeTypes: ["image/vnd.radiance", "image/x-hdr"],
        filenameExtensions: ["hdr", "pic", "rgbe"],
        signatures: [Array("#?RADIANCE".utf8), Array("#?RGBE".utf8)])
}

extension BuiltInFormat {
    /// Radiance HDR, always available.
    static let hdr = BuiltInFormat(.hdr) { _ in HDRCodec() }
}
