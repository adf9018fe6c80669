internal import CTesseraJPEG
internal import Raster

extension JPEGDecoder {
    /// What libjpeg's header and the segments before the first scan say.
    func makeHeader() throws(ImageError) -> ImageHeader {
        let colorModel: ImageHeader.ColorModel
        switch (stored.components, Int(stored.space)) {
        case (1, _): colorModel = .gray
        case (3, TESSERA_JPEG_SPACE_YCBCR), (3, TESSERA_JPEG_SPACE_RGB): colorModel = .rgb
        case (4, TESSERA_JPEG_SPACE_CMYK), (4, TESSERA_JPEG_SPACE_YCCK): colorModel = .cmyk
        default:
            throw ImageError(.unsupported, "a JPEG of \(stored.components) components in no known colour space")
        }
        var metadata = ImageMetadata()
        var profile = JPEGProfileSegments()
        var continuation = JPEGExtendedXMP()
        let limit = options.limits.maximumMetadataByteCount
        for index in 0..<tessera_jpeg_decoder_segment_count(handle) {
            let segment = tessera_jpeg_decoder_segment(handle, index)
            // The shim keeps `length` bytes there for as long as the handle lives; they are copied here.
            let bytes = [UInt8](UnsafeBufferPointer(start: segment.bytes, count: Int(segment.length)))
            switch segment.kind {
            case .icc: profile.add(bytes.dropFirst(JPEGSegment.iccPrefix.count), limit: limit)
            case .exif: Self.keep(bytes.dropFirst(JPEGSegment.exifPrefix.count), as: &metadata.exif, limit: limit)
            case .xmp: Self.keep(bytes.dropFirst(JPEGSegment.xmpPrefix.count), as: &metadata.xmp, limit: limit)
            case .extendedXMP: continuation.add(bytes.dropFirst(JPEGSegment.extendedXMPPrefix.count))
            case .multiPicture:
                let prefix = JPEGSegment.multiPicturePrefix.count
                pictures =
                    pictures
                    ?? JPEGPictureList(
                        Array(bytes.dropFirst(prefix)), at: Int(clamping: segment.offset) + prefix,
                        limits: options.limits)
            }
        }
        metadata.extendedXMP = metadata.xmp.flatMap { continuation.assembled(for: $0, limit: limit) }
        metadata.orientation = metadata.orientationInBlocks(options)
        metadata.resolution = jfifResolution ?? metadata.exif.flatMap { EXIF($0) }?.resolution
        return ImageHeader(
            format: .jpeg, storedSize: PixelSize(width: Int(stored.width), height: Int(stored.height)),
            colorModel: colorModel, bitsPerChannel: Int(stored.precision),
            profile: profile.assembled(for: colorModel).map { .icc($0) } ?? .sRGB,
            isProgressive: stored.multiple_scans,
            sequence: pictures.map { ImageSequence(.pages, count: $0.ranges.count) }, metadata: metadata)
    }

    /// Keeps the first block of a kind, unless it is too long or empty.
    private static func keep(_ block: ArraySlice<UInt8>, as kept: inout [UInt8]?, limit: Int) {
        if kept == nil, !block.isEmpty, block.count <= limit { kept = Array(block) }
    }

    /// What the JFIF marker says, if it says it in real units (JFIF 1.02).
    private var jfifResolution: ImageMetadata.Resolution? {
        let scale: Double
        switch stored.density_unit {
        case 1: scale = 1
        case 2: scale = 2.54
        default: return nil
        }
        guard stored.density_x > 0, stored.density_y > 0 else { return nil }
        return ImageMetadata.Resolution(
            horizontal: Double(stored.density_x) * scale, vertical: Double(stored.density_y) * scale)
    }
}

extension tessera_jpeg_segment {
    /// What it carries. The shim keeps no other kinds.
    fileprivate var kind: JPEGSegment {
        // The shim has seen a whole prefix, and keeps `length` bytes there.
        let bytes = UnsafeBufferPointer(start: bytes, count: Int(length))
        if marker == 0xE2 { return bytes.starts(with: JPEGSegment.iccPrefix) ? .icc : .multiPicture }
        if bytes.starts(with: JPEGSegment.exifPrefix.prefix(4)) { return .exif }
        return bytes.starts(with: JPEGSegment.xmpPrefix) ? .xmp : .extendedXMP
    }
}
