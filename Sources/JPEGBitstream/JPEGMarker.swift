/// A marker of a JPEG: the byte that follows `FF`, by ITU-T T.81, table B.1.
public struct JPEGMarker: RawRepresentable, Hashable, Sendable {
    /// The marker's second byte.
    public let rawValue: UInt8

    /// The marker with the given second byte.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Start of image, SOI.
    public static let startOfImage = JPEGMarker(rawValue: 0xD8)
    /// End of image, EOI.
    public static let endOfImage = JPEGMarker(rawValue: 0xD9)
    /// Start of scan, SOS.
    public static let startOfScan = JPEGMarker(rawValue: 0xDA)
    /// Quantisation tables, DQT.
    public static let quantizationTables = JPEGMarker(rawValue: 0xDB)
    /// Huffman tables, DHT.
    public static let huffmanTables = JPEGMarker(rawValue: 0xC4)
    /// Arithmetic coding conditioning, DAC.
    public static let arithmeticConditioning = JPEGMarker(rawValue: 0xCC)
    /// Number of lines, DNL: the frame's height, given after its first scan.
    public static let numberOfLines = JPEGMarker(rawValue: 0xDC)
    /// Restart interval, DRI.
    public static let restartInterval = JPEGMarker(rawValue: 0xDD)
    /// Comment, COM.
    public static let comment = JPEGMarker(rawValue: 0xFE)

    /// Application data, APP0 to APP15; only the lower four bits of the number count.
    public static func application(_ number: UInt8) -> JPEGMarker { JPEGMarker(rawValue: 0xE0 | number & 15) }
    /// Start of frame, SOF0 to SOF15; only the lower four bits of the number count, and 4, 8 and 12 name no frame.
    public static func startOfFrame(_ number: UInt8) -> JPEGMarker { JPEGMarker(rawValue: 0xC0 | number & 15) }
    /// Restart, RST0 to RST7; only the lower three bits of the number count.
    public static func restart(_ number: UInt8) -> JPEGMarker { JPEGMarker(rawValue: 0xD0 | number & 7) }

    /// Whether this is a start of frame, of any process.
    package var isStartOfFrame: Bool {
        rawValue & 0xF0 == 0xC0 && rawValue != 0xC4 && rawValue != 0xC8 && rawValue != 0xCC
    }

    /// Whether this is one of the eight restart markers.
    var isRestart: Bool { rawValue & 0xF8 == 0xD0 }

    /// Whether this is application data.
    public var isApplication: Bool { rawValue & 0xF0 == 0xE0 }

    /// Whether the marker has no length and no payload.
    var isStandalone: Bool { isRestart || self == .startOfImage || self == .endOfImage || rawValue == 0x01 }

    /// Whether the code is reserved by the standard, or isn't a marker (00, FF).
    var isReserved: Bool { rawValue < 0xC0 && rawValue != 0x01 || rawValue == 0xFF }
}

extension JPEGMarker: CustomStringConvertible {
    /// The standard's short name, such as "SOF2" or "APP14".
    public var description: String {
        switch rawValue {
        case 0x01: "TEM"
        case 0xC4: "DHT"
        case 0xC8: "JPG"
        case 0xCC: "DAC"
        case 0xC0...0xCF: "SOF\(rawValue & 15)"
        case 0xD0...0xD7: "RST\(rawValue & 7)"
        case 0xD8: "SOI"
        case 0xD9: "EOI"
        case 0xDA: "SOS"
        case 0xDB: "DQT"
        case 0xDC: "DNL"
        case 0xDD: "DRI"
        case 0xDE: "DHP"
        case 0xDF: "EXP"
        case 0xE0...0xEF: "APP\(rawValue & 15)"
        case 0xF0...0xFD: "JPG\(rawValue & 15)"
        case 0xFE: "COM"
        default: "FF" + (rawValue < 16 ? "0" : "") + String(rawValue, radix: 16, uppercase: true)
        }
    }
}

/// A marker in a JPEG, with the range of its payload.
public struct JPEGSegment: Hashable, Sendable {
    /// The marker.
    public let marker: JPEGMarker

    /// The bytes after the length field, as offsets from the JPEG's first byte; empty for a marker without a payload.
    public let payload: Range<Int>

    /// The byte at which the segment begins: the `FF` directly before the marker's code, after any fill bytes.
    public var offset: Int { payload.lowerBound - (marker.isStandalone ? 2 : 4) }

    /// The marker with the range of its payload.
    public init(marker: JPEGMarker, payload: Range<Int>) {
        self.marker = marker
        self.payload = payload
    }
}
