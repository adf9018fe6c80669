internal import Raster

/// Collects the metadata in a JPEG's application segments.
struct JPEGMetadataBlocks {
    /// The index of the images in a multi-picture file.
    private(set) var pictures: JPEGPictureList?

    private let options: DecodingOptions
    private var metadata = ImageMetadata()
    private var profile = JPEGProfileSegments()
    private var continuation = JPEGExtendedXMP()

    init(_ options: DecodingOptions) { self.options = options }

    /// Adds a segment's payload, which begins at `offset` in the file; ignores segments without metadata.
    /// - Parameter marker: The marker's code, such as 0xE1 for APP1.
    mutating func add(_ payload: [UInt8], of marker: UInt8, at offset: Int) {
        let limit = options.limits.maximumMetadataByteCount
        switch JPEGMetadataSegment(payload, marker: marker) {
        case .icc: profile.add(payload.dropFirst(JPEGMetadataSegment.iccPrefix.count), limit: limit)
        case .exif: Self.keep(payload.dropFirst(EXIF.prefix.count), as: &metadata.exif, limit: limit)
        case .xmp: Self.keep(payload.dropFirst(JPEGMetadataSegment.xmpPrefix.count), as: &metadata.xmp, limit: limit)
        case .extendedXMP: continuation.add(payload.dropFirst(JPEGMetadataSegment.extendedXMPPrefix.count))
        case .multiPicture:
            let prefix = JPEGMetadataSegment.multiPicturePrefix.count
            pictures =
                pictures
                ?? JPEGPictureList(Array(payload.dropFirst(prefix)), at: offset + prefix, limits: options.limits)
        // Read from the source when the map is asked for.
        case .gainMap, nil: break
        }
    }

    /// Keeps the first block of a kind, unless it is too long or empty.
    private static func keep(_ block: ArraySlice<UInt8>, as kept: inout [UInt8]?, limit: Int) {
        if kept == nil, !block.isEmpty, block.count <= limit { kept = Array(block) }
    }

    /// The colour space of the stored values; sRGB without a valid profile.
    func profile(for colorModel: ImageHeader.ColorModel) -> ColorProfile {
        profile.assembled(for: colorModel).map { .icc($0) } ?? .sRGB
    }

    /// The images in a multi-picture file; nil if there is only one.
    var sequence: ImageSequence? { pictures.map { ImageSequence(.pages, count: $0.ranges.count) } }

    /// The metadata of all segments.
    /// - Parameter jfifResolution: The resolution in the JFIF header, which takes precedence.
    func metadata(jfifResolution: ImageMetadata.Resolution?) -> ImageMetadata {
        var metadata = metadata
        metadata.extendedXMP = metadata.xmp.flatMap {
            continuation.assembled(for: $0, limit: options.limits.maximumMetadataByteCount)
        }
        metadata.orientation = metadata.orientationInBlocks(options)
        metadata.resolution = jfifResolution ?? metadata.exif.flatMap { EXIF($0) }?.resolution
        return metadata
    }
}

extension ImageMetadata.Resolution {
    /// The density in a JFIF header; nil if it has no physical unit (JFIF 1.02).
    init?(jfifUnit unit: UInt8, horizontal: Int, vertical: Int) {
        guard horizontal > 0, vertical > 0 else { return nil }
        // 1 is inches, 2 centimetres.
        self.init(Double(horizontal), Double(vertical), unit: Int(unit) + 1)
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
    /// APP2, a gain map's metadata; in the base, its version only (ISO 21496-1, annex C).
    case gainMap

    static let xmpPrefix: [UInt8] = Array("http://ns.adobe.com/xap/1.0/".utf8) + [0]
    static let iccPrefix: [UInt8] = Array("ICC_PROFILE".utf8) + [0]
    static let extendedXMPPrefix: [UInt8] = Array("http://ns.adobe.com/xmp/extension/".utf8) + [0]
    static let multiPicturePrefix: [UInt8] = Array("MPF".utf8) + [0]
    static let gainMapPrefix: [UInt8] = Array("urn:iso:std:iso:ts:21496:-1".utf8) + [0]

    /// The kind of a segment with this payload; nil if it is no metadata.
    /// - Parameter marker: The marker's code, such as 0xE1 for APP1.
    init?(_ payload: [UInt8], marker: UInt8) {
        switch marker {
        case 0xE1 where payload.starts(with: EXIF.prefix.dropLast()): self = .exif
        case 0xE1 where payload.starts(with: Self.xmpPrefix): self = .xmp
        case 0xE1 where payload.starts(with: Self.extendedXMPPrefix): self = .extendedXMP
        case 0xE2 where payload.starts(with: Self.iccPrefix): self = .icc
        case 0xE2 where payload.starts(with: Self.multiPicturePrefix): self = .multiPicture
        case 0xE2 where payload.starts(with: Self.gainMapPrefix): self = .gainMap
        default: return nil
        }
    }

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
