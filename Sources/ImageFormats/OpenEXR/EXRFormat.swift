#if OpenEXR
internal import CTesseraEXR
#endif

extension ImageFormat {
    /// OpenEXR.
    public static let exr = ImageFormat(
        typeIdentifier: "com.ilm.openexr-image", name: "OpenEXR", mimeTypes: ["image/x-exr", "image/aces"],
        filenameExtensions: ["exr"], signatures: [[0x76, 0x2F, 0x31, 0x01]], library: "openexr")
}

extension BuiltInFormat {
    /// OpenEXR. A build without the OpenEXR trait has no codec for it.
    static let exr = BuiltInFormat(.exr) { _ in
        #if OpenEXR
        return tessera_exr_available() ? EXRCodec() : nil
        #else
        return nil
        #endif
    }
}
