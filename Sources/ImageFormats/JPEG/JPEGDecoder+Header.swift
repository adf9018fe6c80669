internal import CTesseraJPEG
internal import Raster

extension JPEGDecoder {
    /// Builds the header from libjpeg's header and the segments before the first scan.
    func makeHeader() throws(ImageError) -> ImageHeader {
        let colorModel: ImageHeader.ColorModel
        switch (stored.components, Int(stored.space)) {
        case (1, _): colorModel = .gray
        case (3, TESSERA_JPEG_SPACE_YCBCR), (3, TESSERA_JPEG_SPACE_RGB): colorModel = .rgb
        case (4, TESSERA_JPEG_SPACE_CMYK), (4, TESSERA_JPEG_SPACE_YCCK): colorModel = .cmyk
        default:
            throw ImageError(.unsupported, "a JPEG of \(stored.components) components in no known colour space")
        }
        var blocks = JPEGMetadataBlocks(options)
        for index in 0..<tessera_jpeg_decoder_segment_count(handle) {
            let segment = tessera_jpeg_decoder_segment(handle, index)
            // The shim keeps `length` bytes there for the handle's lifetime; they are copied here.
            let bytes = [UInt8](UnsafeBufferPointer(start: segment.bytes, count: Int(segment.length)))
            blocks.add(bytes, of: segment.marker, at: Int(clamping: segment.offset))
        }
        pictures = blocks.pictures
        return ImageHeader(
            format: .jpeg, storedSize: PixelSize(width: Int(stored.width), height: Int(stored.height)),
            colorModel: colorModel, bitsPerChannel: Int(stored.precision),
            profile: blocks.profile(for: colorModel), isProgressive: stored.multiple_scans,
            sequence: blocks.sequence, metadata: blocks.metadata(jfifResolution: jfifResolution))
    }

    /// The density in the JFIF header, if it has a physical unit (JFIF 1.02).
    private var jfifResolution: ImageMetadata.Resolution? {
        ImageMetadata.Resolution(
            jfifUnit: stored.density_unit, horizontal: Int(stored.density_x), vertical: Int(stored.density_y))
    }
}
