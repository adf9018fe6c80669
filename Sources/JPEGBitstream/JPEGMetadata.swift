/// What the application segments before a JPEG's first scan say: EXIF, XMP, ICC profile, JFIF, Adobe.
///
/// Ranges are byte offsets from the JPEG's first byte; nothing is copied and nothing within the payloads is checked.
public struct JPEGMetadata: Hashable, Sendable {
    /// The TIFF data of the first EXIF segment, after its "Exif" header.
    public private(set) var exif: Range<Int>?
    /// The XML of the first XMP segment.
    public private(set) var xmp: Range<Int>?
    /// The ICC profile's pieces, in order and complete; empty where there is none or ``iccFailure`` says why it can't be had.
    public private(set) var iccChunks: [Range<Int>] = []
    /// Why an ICC profile that is there can't be put together.
    public private(set) var iccFailure: ICCFailure?
    /// The last JFIF header.
    public private(set) var jfif: JFIF?
    /// The last Adobe segment's colour transform.
    public private(set) var adobeTransform: AdobeTransform?

    /// The metadata of a JPEG whose segments were walked.
    ///
    /// `data` begins at the JPEG's first byte; segments that reach beyond it are passed over, so the header alone will do.
    public init(_ structure: JPEGStructure, in data: RawSpan) {
        var profile = ICCChunks()
        for segment in structure.segments {
            if segment.marker == .startOfScan { break }
            let payload = segment.payload
            guard segment.marker.isApplication, payload.upperBound <= data.byteCount else { continue }
            switch segment.marker {
            case .application(0):
                jfif = JFIF(payload, in: data) ?? jfif
            case .application(1):
                if data.starts(with: Self.exifHeader, in: payload) {
                    exif = exif ?? payload.lowerBound + Self.exifHeader.count..<payload.upperBound
                } else if data.starts(with: Self.xmpHeader, in: payload) {
                    xmp = xmp ?? payload.lowerBound + Self.xmpHeader.count..<payload.upperBound
                }
            case .application(2):
                profile.add(payload, in: data)
            case .application(14):
                adobeTransform = AdobeTransform(payload, in: data) ?? adobeTransform
            default:
                break
            }
        }
        switch profile.assembled {
        case .success(let chunks): iccChunks = chunks
        case .failure(let failure): iccFailure = failure
        }
    }

    /// The metadata of the JPEG that the bytes begin with.
    public init(of data: RawSpan) {
        self.init(JPEGStructure(of: data), in: data)
    }

    /// The bytes of the ICC profile, put together from its pieces; nil where there is none. At most 255 pieces of 64 KiB.
    public func iccProfile(in data: RawSpan) -> [UInt8]? {
        guard let last = iccChunks.map(\.upperBound).max(), last <= data.byteCount else { return nil }
        var profile: [UInt8] = []
        profile.reserveCapacity(iccChunks.reduce(0) { $0 + $1.count })
        for chunk in iccChunks {
            for offset in chunk { profile.append(data.byte(at: offset)) }
        }
        return profile
    }

    private static let exifHeader = Array("Exif\0\0".utf8)
    private static let xmpHeader = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
}
