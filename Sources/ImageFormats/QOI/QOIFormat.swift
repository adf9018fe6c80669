extension ImageFormat {
    /// QOI, the Quite OK Image format 1.0.
    public static let qoi = ImageFormat(
        typeIdentifier: "org.qoiformat.qoi", name: "QOI", mimeTypes: ["image/qoi", "image/x-qoi"],
        filenameExtensions: ["qoi"],
        signatures: [Array("qoif".utf8)])
}

extension BuiltInFormat {
    /// QOI, always available.
    static let qoi = BuiltInFormat(.qoi) { _ in QOICodec() }
}
