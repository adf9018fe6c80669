/// XMP that goes on in segments of its own (XMP part 3, 1.1.3.1): each says by a digest which packet it belongs to, how
/// long that is, and where its bytes go.
struct JPEGExtendedXMP {
    private struct Piece {
        let digest: ArraySlice<UInt8>
        let total: Int
        let offset: Int
        let bytes: ArraySlice<UInt8>
    }

    private var pieces: [Piece] = []

    /// Characters of a digest, hexadecimal digits.
    private static let digestByteCount = 32
    /// Bytes before a piece's own: the digest, the whole packet's length and the piece's offset.
    private static let headByteCount = 40

    /// Takes a segment, what comes after its signature.
    mutating func add(_ segment: ArraySlice<UInt8>) {
        guard segment.count > Self.headByteCount else { return }
        func number(_ offset: Int) -> Int {
            segment.dropFirst(Self.digestByteCount + offset).prefix(4).reduce(0) { $0 << 8 | Int($1) }
        }
        pieces.append(
            Piece(
                digest: segment.prefix(Self.digestByteCount), total: number(0), offset: number(4),
                bytes: segment.dropFirst(Self.headByteCount)))
    }

    /// The packet that `xmp` goes on in; nil where it names none, bytes are missing or given twice, or it is longer than
    /// `limit`.
    func assembled(for xmp: [UInt8], limit: Int) -> [UInt8]? {
        guard !pieces.isEmpty, let digest = Self.digest(in: xmp) else { return nil }
        let own = pieces.filter { $0.digest.elementsEqual(digest) }.sorted { $0.offset < $1.offset }
        guard let total = own.first?.total, total <= limit else { return nil }
        var packet: [UInt8] = []
        for piece in own {
            guard piece.total == total, piece.offset == packet.count, piece.bytes.count <= total - packet.count else {
                return nil
            }
            packet += piece.bytes
        }
        return packet.count == total ? packet : nil
    }

    /// The segments, without their signature, of a packet that `xmp` goes on in; none where it doesn't say so.
    static func pieces(of packet: [UInt8], for xmp: [UInt8]) -> [[UInt8]] {
        guard !packet.isEmpty, packet.count <= Int(UInt32.max), let digest = digest(in: xmp) else { return [] }
        let most = JPEGMetadataSegment.maximumByteCount - JPEGMetadataSegment.extendedXMPPrefix.count - headByteCount
        return stride(from: 0, to: packet.count, by: most).map { offset in
            digest + packet.count.bigEndianBytes(4) + offset.bigEndianBytes(4)
                + packet[offset..<min(packet.count, offset + most)]
        }
    }

    /// The digest that a packet gives as xmpNote:HasExtendedXMP, as an attribute or an element.
    private static func digest(in xmp: [UInt8]) -> [UInt8]? {
        let name = Array("HasExtendedXMP".utf8)
        guard xmp.count > name.count else { return nil }
        var start = 0
        while start <= xmp.count - name.count {
            // A search for the first letter is fast; few of them are the name's.
            guard let next = xmp[start...].firstIndex(of: name[0]) else { return nil }
            start = next + 1
            guard xmp[next...].starts(with: name) else { continue }
            let value = xmp[(next + name.count)...].prefix(8 + digestByteCount)
                .drop { !isDigit($0) }.prefix(digestByteCount)
            return value.count == digestByteCount && value.allSatisfy(isDigit) ? Array(value) : nil
        }
        return nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"),
            UInt8(ascii: "a")...UInt8(ascii: "f"):
            true
        default: false
        }
    }
}
