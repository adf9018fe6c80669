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
        var metadata = ImageMetadata()
        var profile = JPEGProfileSegments()
        var continuation = JPEGExtendedXMP()
        let limit = options.limits.maximumMetadataByteCount
        for index in 0..<tessera_jpeg_decoder_segment_count(handle) {
            let segment = tessera_jpeg_decoder_segment(handle, index)
            // The shim keeps `length` bytes there for the handle's lifetime; they are copied here.
            let bytes = [UInt8](UnsafeBufferPointer(start: segment.bytes, count: Int(segment.length)))
            switch segment.kind {
            case .icc: profile.add(bytes.dropFirst(JPEGMetadataSegment.iccPrefix.count), limit: limit)
            case .exif: Self.keep(bytes.dropFirst(EXIF.prefix.count), as: &metadata.exif, limit: limit)
            case .xmp: Self.keep(bytes.dropFirst(JPEGMetadataSegment.xmpPrefix.count), as: &metadata.xmp, limit: limit)
            case .extendedXMP: continuation.add(bytes.dropFirst(JPEGMetadataSegment.extendedXMPPrefix.count))
            case .multiPicture:
                let prefix = JPEGMetadataSegment.multiPicturePrefix.count
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

    /// The density in the JFIF header, if it has a physical unit (JFIF 1.02).
    private var jfifResolution: ImageMetadata.Resolution? {
        guard stored.density_x > 0, stored.density_y > 0 else { return nil }
        // 1 is inches, 2 centimetres.
        return ImageMetadata.Resolution(
            Double(stored.density_x), Double(stored.density_y), unit: Int(stored.density_unit) + 1)
    }
}

extension tessera_jpeg_segment {
    /// The kind of metadata in the segment. The shim keeps no other kinds.
    fileprivate var kind: JPEGMetadataSegment {
        // The shim has checked the whole prefix, and keeps `length` bytes there.
        let bytes = UnsafeBufferPointer(start: bytes, count: Int(length))
        if marker == 0xE2 { return bytes.starts(with: JPEGMetadataSegment.iccPrefix) ? .icc : .multiPicture }
        if bytes.starts(with: EXIF.prefix.prefix(4)) { return .exif }
        return bytes.starts(with: JPEGMetadataSegment.xmpPrefix) ? .xmp : .extendedXMP
    }
}

/// The application segments that carry an image's metadata, distinguished by their first bytes.
enum JPEGMetadataSegment {
    /// APP1, "Exif" and two bytes; some writers don't set the second to zero (EXIF 2.32, 4.7.2).
    case exif
    /// APP1, Adobe's namespace (XMP part 3, 1.1.3).
    case xmp
    /// APP2, one of up to 255 segments (ICC.1:2010, B.4).
    case icc
    /// APP1, one of any number of segments (XMP part 3, 1.1.3.1).
    case extendedXMP
    /// APP2, the index of the images in a multi-picture file (CIPA DC-007, 5.1).
    case multiPicture

    static let xmpPrefix: [UInt8] = Array("http://ns.adobe.com/xap/1.0/".utf8) + [0]
    static let iccPrefix: [UInt8] = Array("ICC_PROFILE".utf8) + [0]
    static let extendedXMPPrefix: [UInt8] = Array("http://ns.adobe.com/xmp/extension/".utf8) + [0]
    static let multiPicturePrefix: [UInt8] = Array("MPF".utf8) + [0]

    /// The capacity of a segment: its 16-bit length field counts itself.
    static let maximumByteCount = 65533
}

/// Assembles an ICC profile from its segments in a JPEG (ICC.1:2010, B.4).
struct JPEGProfileSegments {
    private var pieces: [UInt8: ArraySlice<UInt8>] = [:]
    private var count: UInt8?
    private var byteCount = 0
    private var isBroken = false

    /// Adds a segment: its number from 1, the number of segments, and profile bytes.
    mutating func add(_ segment: ArraySlice<UInt8>, limit: Int) {
        guard !isBroken else { return }
        let header = Array(segment.prefix(2))
        byteCount += segment.count - 2
        guard header.count == 2, header[0] >= 1, header[0] <= header[1], count == nil || count == header[1],
            pieces[header[0]] == nil, byteCount <= limit
        else { return isBroken = true }
        count = header[1]
        pieces[header[0]] = segment.dropFirst(2)
    }

    /// The profile; nil when there is none, segments are missing or inconsistent, or it describes another colour model.
    func assembled(for colorModel: ImageHeader.ColorModel) -> [UInt8]? {
        guard !isBroken, let count, pieces.count == Int(count) else { return nil }
        var profile: [UInt8] = []
        profile.reserveCapacity(byteCount)
        for number in 1...count { profile += pieces[number]! }
        return profile.isICCProfile(for: colorModel) ? profile : nil
    }
}
