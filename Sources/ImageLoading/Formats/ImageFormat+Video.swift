public import Essentials
public import ImageFormats

extension ImageFormat {
    /// MPEG-4 video (ISO/IEC 14496-14). Recognised, but not decoded.
    public static let mp4 = ImageFormat(
        typeIdentifier: "public.mpeg-4", name: "MP4", mimeTypes: ["video/mp4"], filenameExtensions: ["mp4", "mpg4"])
    /// Apple's MPEG-4 video. Recognised, but not decoded.
    public static let m4v = ImageFormat(
        typeIdentifier: "com.apple.m4v-video", name: "M4V", mimeTypes: ["video/x-m4v"], filenameExtensions: ["m4v"])
    /// QuickTime video. Recognised, but not decoded.
    public static let quickTime = ImageFormat(
        typeIdentifier: "com.apple.quicktime-movie", name: "QuickTime", mimeTypes: ["video/quicktime"],
        filenameExtensions: ["mov", "qt"])
    /// WebM video. Recognised, but not decoded.
    public static let webM = ImageFormat(
        typeIdentifier: "org.webmproject.webm", name: "WebM", mimeTypes: ["video/webm"], filenameExtensions: ["webm"])
    /// Matroska video. Recognised, but not decoded.
    public static let matroska = ImageFormat(
        typeIdentifier: "org.matroska.mkv", name: "Matroska", mimeTypes: ["video/matroska", "video/x-matroska"],
        filenameExtensions: ["mkv"])

    /// Whether this is one of the video formats above.
    public var isVideo: Bool { [Self.mp4, .m4v, .quickTime, .webM, .matroska].contains(self) }

    /// The video format of `data`; nil if it isn't a video or too short to tell.
    init?(video data: Data, isComplete: Bool) {
        let bytes = data.bytes
        let probe = isComplete ? FormatProbe(whole: bytes) : FormatProbe(streamPrefix: bytes)
        guard case .match(let format, _) = VideoSignature.identify(probe) else { return nil }
        self = format
    }

    /// The format of `data` by its content: an image format with a codec, or a video; nil for anything else.
    public init?(data: Data) { self.init(data: data, isComplete: true) }

    /// The format of `data`, which may be the beginning of a file.
    init?(data: Data, isComplete: Bool) {
        let bytes = data.bytes
        let probe = isComplete ? FormatProbe(whole: bytes) : FormatProbe(streamPrefix: bytes)
        if case .match(let format, _) = CodecRegistry.default.identify(probe) {
            self = format
        } else if case .match(let format, _) = VideoSignature.identify(probe) {
            self = format
        } else {
            return nil
        }
    }
}

enum VideoSignature {
    /// Identifies the bytes in the way a codec does.
    static func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        switch FileTypeBox.read(probe) {
        case .found(let box): format(of: box).map { .match($0) } ?? .unknown
        case .needMoreData(let minimum): .needMoreData(minimum: minimum)
        case .absent: EBMLHeader.identify(probe)
        }
    }

    /// The format of the major brand, or of the first compatible brand that has one.
    private static func format(of box: FileTypeBox) -> ImageFormat? {
        // Image sequences also list the general brands.
        guard box.imageFormat == nil, !audioBrands.contains(box.majorBrand) else { return nil }
        for brand in [box.majorBrand] + box.compatibleBrands {
            if brand == "qt  " { return .quickTime }
            if m4vBrands.contains(brand) { return .m4v }
            if mp4Brands.contains(brand) { return .mp4 }
        }
        return nil
    }

    private static let audioBrands: Set<FourCharacterCode> = ["M4A ", "M4B ", "M4P ", "F4A ", "F4B "]
    private static let m4vBrands: Set<FourCharacterCode> = ["M4V ", "M4VH", "M4VP"]
    /// The base format and its extensions (ISO/IEC 14496-12, annex E; the MP4 registration authority's list).
    private static let mp4Brands: Set<FourCharacterCode> = [
        "isom", "iso2", "iso3", "iso4", "iso5", "iso6", "iso7", "iso8", "iso9", "isoa", "isob", "isoc",
        "mp41", "mp42", "mp71", "avc1", "hvc1", "hev1", "av01", "dash", "MSNV", "mmp4", "F4V ", "XAVC",
    ]
}

/// The header of an Extensible Binary Meta Language file (RFC 8794, section 11.2).
///
/// All lengths come from the file, so every read is checked.
enum EBMLHeader {
    private static let headerID: [UInt8] = [0x1A, 0x45, 0xDF, 0xA3]
    private static let docTypeID = 0x4282
    /// The maximum length of a header, which has a handful of elements of a few bytes each.
    private static let maximumByteCount = 1 << 12

    /// Identifies WebM and Matroska by their DocType.
    static func identify(_ probe: borrowing FormatProbe) -> FormatMatch {
        switch probe.starts(with: headerID) {
        case nil: return .needMoreData(minimum: headerID.count)
        case false?: return .unknown
        case true?: break
        }
        var reader = Reader(probe, offset: headerID.count)
        var headerEnd = maximumByteCount
        do throws(Reader.Failure) {
            guard let length = try reader.size(), length <= maximumByteCount else { return .unknown }
            headerEnd = reader.offset + length
            while reader.offset < headerEnd {
                let id = try reader.id()
                guard let length = try reader.size(), length <= headerEnd - reader.offset else { return .unknown }
                guard id == docTypeID else {
                    try reader.skip(length)
                    continue
                }
                // Strings may be padded with zeros (RFC 8794, section 7.4).
                let name = String(decoding: try reader.bytes(length).prefix { $0 != 0 }, as: UTF8.self)
                return name == "webm" ? .match(.webM) : name == "matroska" ? .match(.matroska) : .unknown
            }
            return .unknown
        } catch {
            return switch error {
            case .missing(let count) where count <= headerEnd && !probe.isWhole:
                .needMoreData(minimum: count)
            case .missing, .invalid: .unknown
            }
        }
    }

    /// Reads variable-length numbers (RFC 8794, section 4).
    private struct Reader: ~Escapable {
        enum Failure: Error {
            /// The number of bytes needed to continue.
            case missing(Int)
            case invalid
        }

        private let source: RawSpan
        private(set) var offset: Int

        @_lifetime(copy probe)
        init(_ probe: borrowing FormatProbe, offset: Int) {
            source = probe.prefix
            self.offset = offset
        }

        mutating func bytes(_ count: Int) throws(Failure) -> [UInt8] {
            guard count <= source.byteCount - offset else { throw .missing(offset + count) }
            let bytes = (offset..<(offset + count)).map { source.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
            offset += count
            return bytes
        }

        mutating func skip(_ count: Int) throws(Failure) {
            guard count <= source.byteCount - offset else { throw .missing(offset + count) }
            offset += count
        }

        /// Reads an element ID of at most 4 bytes, including its marker.
        mutating func id() throws(Failure) -> Int {
            let first = try bytes(1)[0]
            let count = first.leadingZeroBitCount
            guard count < 4 else { throw .invalid }
            return try bytes(count).reduce(Int(first)) { $0 << 8 | Int($1) }
        }

        /// Reads an element size of at most 8 bytes, without its marker; nil if it is unknown.
        mutating func size() throws(Failure) -> Int? {
            let first = try bytes(1)[0]
            let count = first.leadingZeroBitCount
            guard count < 8 else { throw .invalid }
            let value = try bytes(count).reduce(Int(first) & (0x7F >> count)) { $0 << 8 | Int($1) }
            return value == (1 << (7 * (count + 1))) - 1 ? nil : value
        }
    }
}
