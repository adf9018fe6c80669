extension ImageFormat {
    /// The preview in a camera's raw file that is built on TIFF: DNG, CR2, NEF, ARW. The raw data itself isn't developed.
    public static let cameraRaw = ImageFormat(
        typeIdentifier: "public.camera-raw-image", name: "camera raw preview",
        mimeTypes: ["image/x-adobe-dng", "image/x-canon-cr2", "image/x-nikon-nef", "image/x-sony-arw"],
        filenameExtensions: ["dng", "cr2", "nef", "nrw", "arw"])
}

extension BuiltInFormat {
    /// Previews of raw files, in builds that can read the rest of such a file too.
    static let cameraRaw = BuiltInFormat(.cameraRaw) { _ in
        #if TIFF
        return BuiltInFormat.tiff.codec(.tiff) == nil ? nil : CameraRawCodec()
        #else
        return nil
        #endif
    }
}
