/// The application segments before a JPEG's first scan: EXIF, XMP, ICC profile, JFIF, Adobe.
///
/// Ranges are byte offsets from the JPEG's first byte; nothing is copied, and payloads aren't validated.
public struct JPEGMetadata: Hashable, Sendable {
    /// The TIFF data of the first EXIF segment, after its "Exif" header.
    public private(set) var exif: Range<Int>?
    /// The XML of the first XMP segment.
    public private(set) var xmp: Range<Int>?
    /// The ranges of the ICC profile's pieces, complete and in order; empty without a profile or with an ``iccFailure``.
    public private(set) var iccChunks: [Range<Int>] = []
    /// Why the ICC profile's pieces don't form a profile.
    public private(set) var iccFailure: ICCFailure?
    /// The last JFIF header.
    public private(set) var jfif: JFIF?
    /// The last Adobe segment's colour transform.
    public private(set) var adobeTransform: AdobeTransform?

    /// The metadata of a JPEG with a known structure.
    ///
    /// `data` begins at the JPEG's first byte; segments beyond its end are ignored, so the header alone is enough.
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

    /// The metadata of the JPEG at the start of the bytes.
    public init(of data: RawSpan) {
        self.init(JPEGStructure(of: data), in: data)
    }

    /// The ICC profile, joined from its pieces; nil if there is none. At most 255 pieces of 64 KiB.
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

extension JPEGMetadata {
    /// A JFIF header: version and pixel density.
    public struct JFIF: Hashable, Sendable {
        /// The major version, usually 1.
        public let majorVersion: UInt8
        /// The minor version.
        public let minorVersion: UInt8
        /// The unit of the densities: 0 none (an aspect ratio only), 1 dots per inch, 2 dots per centimetre.
        public let densityUnit: UInt8
        /// The horizontal density.
        public let horizontalDensity: UInt16
        /// The vertical density.
        public let verticalDensity: UInt16

        init?(_ payload: Range<Int>, in data: RawSpan) {
            guard payload.count >= 12, data.starts(with: Array("JFIF\0".utf8), in: payload) else { return nil }
            let start = payload.lowerBound
            majorVersion = data.byte(at: start + 5)
            minorVersion = data.byte(at: start + 6)
            densityUnit = data.byte(at: start + 7)
            horizontalDensity = UInt16(data.byte(at: start + 8)) << 8 | UInt16(data.byte(at: start + 9))
            verticalDensity = UInt16(data.byte(at: start + 10)) << 8 | UInt16(data.byte(at: start + 11))
        }
    }

    /// The colour transform that an Adobe segment states; the raw value is the byte as stored.
    public struct AdobeTransform: RawRepresentable, Hashable, Sendable {
        /// The byte as stored.
        public let rawValue: UInt8

        /// The transform of the given byte.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// No transform: RGB, or CMYK (inverted, as Adobe writes it).
        public static let none = AdobeTransform(rawValue: 0)
        /// YCbCr of three components.
        public static let yCbCr = AdobeTransform(rawValue: 1)
        /// YCCK of four components.
        public static let ycck = AdobeTransform(rawValue: 2)

        init?(_ payload: Range<Int>, in data: RawSpan) {
            guard payload.count >= 12, data.starts(with: Array("Adobe".utf8), in: payload) else { return nil }
            rawValue = data.byte(at: payload.lowerBound + 11)
        }
    }

    /// Why an ICC profile's pieces don't form a profile (ICC.1, annex B.4).
    public enum ICCFailure: Error, Hashable, Sendable {
        /// A piece is too short for its number.
        case truncatedChunk
        /// Two pieces disagree on the number of pieces.
        case countMismatch(UInt8, UInt8)
        /// A piece's number is 0 or beyond the count.
        case invalidNumber(UInt8, count: UInt8)
        /// Two pieces have the same number.
        case duplicate(UInt8)
        /// The piece with this number is missing.
        case missing(UInt8)
    }
}

extension JPEGMetadata.ICCFailure: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .truncatedChunk: "a piece of the ICC profile is too short for its number"
        case .countMismatch(let first, let second):
            "the pieces of the ICC profile disagree on their count: \(first) and \(second)"
        case .invalidNumber(let number, let count): "a piece of the ICC profile has the number \(number) of \(count)"
        case .duplicate(let number): "piece \(number) of the ICC profile occurs twice"
        case .missing(let number): "piece \(number) of the ICC profile is missing"
        }
    }
}

/// The pieces of an ICC profile, found in any order.
struct ICCChunks {
    private var count: UInt8?
    private var chunks: [UInt8: Range<Int>] = [:]
    private var failure: JPEGMetadata.ICCFailure?

    private static let header = Array("ICC_PROFILE\0".utf8)

    /// Adds an APP2 segment's payload; payloads that aren't part of a profile are ignored.
    mutating func add(_ payload: Range<Int>, in data: RawSpan) {
        guard failure == nil, data.starts(with: Self.header, in: payload) else { return }
        let start = payload.lowerBound + Self.header.count
        guard start + 2 <= payload.upperBound else {
            failure = .truncatedChunk
            return
        }
        let number = data.byte(at: start)
        let total = data.byte(at: start + 1)
        if let count, count != total {
            failure = .countMismatch(count, total)
        } else if number == 0 || number > total {
            failure = .invalidNumber(number, count: total)
        } else if chunks.updateValue(start + 2..<payload.upperBound, forKey: number) != nil {
            failure = .duplicate(number)
        }
        count = total
    }

    /// The pieces in order; empty without a profile.
    var assembled: Result<[Range<Int>], JPEGMetadata.ICCFailure> {
        if let failure { return .failure(failure) }
        guard let count else { return .success([]) }
        var ordered: [Range<Int>] = []
        for number in 1...count {
            guard let chunk = chunks[number] else { return .failure(.missing(number)) }
            ordered.append(chunk)
        }
        return .success(ordered)
    }
}
