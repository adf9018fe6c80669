extension ImageFormat {
    /// Photoshop's PSD, and PSB for large documents.
    public static let psd = ImageFormat(
        typeIdentifier: "com.adobe.photoshop-image", name: "PSD",
        mimeTypes: ["image/vnd.adobe.photoshop", "image/x-psd"], filenameExtensions: ["psd", "psb"],
        signatures: [Array("8BPS".utf8)])
}

extension BuiltInFormat {
    /// PSD, always available.
    static let psd = BuiltInFormat(.psd) { _ in PSDCodec() }
}
