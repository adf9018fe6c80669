internal import ImageFormats

/// What a file of the Extensible Binary Meta Language says of itself in its first element (RFC 8794, section 11.2).
///
/// Every length comes from the file, so every read is checked.
enum EBMLHeader {
    private static let headerID: [UInt8] = [0x1A, 0x45, 0xDF, 0xA3]
    private static let docTypeID = 0x4282
    /// A header has a handful of elements of a few bytes each.
    private static let maximumByteCount = 1 << 12

    /// WebM and Matroska by the document's type.
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
                // Names may be filled up with zeroes (RFC 8794, section 7.4).
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

    /// Reads numbers of variable length (RFC 8794, section 4).
    private struct Reader: ~Escapable {
        enum Failure: Error {
            /// There have to be so many bytes to go on.
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

        /// The bytes that come next.
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

        /// An element's name, its marker included: at most 4 bytes.
        mutating func id() throws(Failure) -> Int {
            let first = try bytes(1)[0]
            let count = first.leadingZeroBitCount
            guard count < 4 else { throw .invalid }
            return try bytes(count).reduce(Int(first)) { $0 << 8 | Int($1) }
        }

        /// An element's length: at most 8 bytes, without its marker; nil where it is left open.
        mutating func size() throws(Failure) -> Int? {
            let first = try bytes(1)[0]
            let count = first.leadingZeroBitCount
            guard count < 8 else { throw .invalid }
            let value = try bytes(count).reduce(Int(first) & (0x7F >> count)) { $0 << 8 | Int($1) }
            return value == (1 << (7 * (count + 1))) - 1 ? nil : value
        }
    }
}
