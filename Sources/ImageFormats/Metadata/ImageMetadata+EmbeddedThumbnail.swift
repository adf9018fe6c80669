public import Raster

extension ImageMetadata {
    /// The small picture in the EXIF block, a JPEG file; nil where there is none, or one that isn't a JPEG.
    public var embeddedThumbnail: [UInt8]? { exif.flatMap { EXIF($0) }?.thumbnail }

    /// The small picture in the EXIF block, decoded; nil where there is none.
    ///
    /// It is stored the way the large one is, and turned like it unless the options leave orientation aside. A preview:
    /// it may be older than the picture, or show more of it.
    /// - Throws: What decoding reports.
    public func embeddedThumbnailBitmap(
        options: DecodingOptions = DecodingOptions()
    ) throws(ImageError) -> Bitmap? {
        guard let file = embeddedThumbnail else { return nil }
        var stored = options
        stored.appliesOrientation = false
        stored.imageIndex = nil
        let codec = CodecRegistry.default.codec(for: .jpeg) ?? JPEGCodec()
        let decoded = try ImageSource.decode(file, options: stored, registry: CodecRegistry([codec]))
        if let error = decoded.error { throw error }
        return options.appliesOrientation ? try decoded.bitmap.oriented(by: orientation) : decoded.bitmap
    }
}
