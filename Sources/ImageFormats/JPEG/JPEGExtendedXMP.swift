/// Extended XMP, split into segments (XMP part 3, 1.1.3.1): each has the digest of its packet, the packet's length, and
/// the segment's offset in the packet.
struct JPEGExtendedXMP {
    private struct Piece {
        let digest: ArraySlice<UInt8>
        let total: Int
        let offset: Int
        let bytes: ArraySlice<UInt8>
    }

    private var pieces: [Piece] = []

    /// The length of a digest in hexadecimal digits.
    private static let digestByteCount = 32
    /// The bytes before a segment's data: the digest, the packet's length and the offset.
    private static let headByteCount = 40

    /// Adds a segment's bytes after its signature.
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

    /// The packet that `xmp` refers to; nil if it refers to none, bytes are missing or repeated, or the packet is
    /// longer than `limit`.
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

    /// Splits the packet that `xmp` refers to into segments without their signature; none if `xmp` has no reference.
    static func pieces(of packet: [UInt8], for xmp: [UInt8]) -> [[UInt8]] {
        guard !packet.isEmpty, packet.count <= Int(UInt32.max), let digest = digest(in: xmp) else { return [] }
        let most = JPEGMetadataSegment.maximumByteCount - JPEGMetadataSegment.extendedXMPPrefix.count - headByteCount
        return stride(from: 0, to: packet.count, by: most).map { offset in
            digest + packet.count.bigEndianBytes(4) + offset.bigEndianBytes(4)
                + packet[offset..<min(packet.count, offset + most)]
        }
    }

    /// The digest in a packet's xmpNote:HasExtendedXMP, an attribute or an element.
    private static func digest(in xmp: [UInt8]) -> [UInt8]? {
        let name = Array("HasExtendedXMP".utf8)
        guard xmp.count > name.count else { return nil }
        var start = 0
        while start <= xmp.count - name.count {
            // Searching for the first letter is fast, and it is rare.
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
