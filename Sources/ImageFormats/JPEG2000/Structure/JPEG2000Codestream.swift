#if JPEG2000
internal import Raster

/// A codestream's main header (ISO/IEC 15444-1, annex A).
struct JPEG2000Codestream: Sendable {
    let grid: JPEG2000Grid
    private(set) var style = JPEG2000CodingStyle()
    /// The segments between the size and the first tile-part, without those that list the tile-parts and without comments.
    private(set) var segments: [UInt8] = []
    /// The contents of the segment with the size.
    let sizeSegment: [UInt8]
    /// The lengths of the tile-parts in order and, where given, their tiles: the markers TLM.
    private(set) var listed: [(tile: Int?, byteCount: Int)] = []
    /// The packet headers of each tile-part in order, if they are in the main header: the markers PPM.
    private(set) var packedHeaders: [[UInt8]] = []
    /// The place of the codestream in the file, and of its first tile-part.
    let range: Range<Int>
    private(set) var firstTilePart = 0

    /// The number of times that every tile can be halved, by the main header.
    var levelCount: Int { style.leastLevelCount(componentCount: grid.components.count) }

    /// Reads the header of the codestream in `range`, which may end beyond the source.
    /// - Throws: `corrupt`, `truncated`, `unsupported`, or `limitExceeded` for a header beyond the limits.
    init(_ source: Source, _ range: Range<Int>, limits: DecodingLimits) throws(ImageError) {
        let reader = SegmentReader(source, range.lowerBound)
        guard try reader.number(2, at: 0) == 0xFF4F, try reader.number(2, at: 2) == 0xFF51 else {
            throw ImageError(
                reader.isTruncated(at: 4) ? .truncated : .corrupt,
                "the JPEG 2000 codestream doesn't begin with its size",
                byteOffset: range.lowerBound)
        }
        // The header's capabilities come before the size.
        sizeSegment = try reader.segment(at: 4)
        grid = try JPEG2000Grid(Array(sizeSegment.dropFirst(2)), byteOffset: range.lowerBound + 4)
        self.range = range
        try limits.check(grid.size, format: .jpeg2000)
        var offset = 4 + 2 + sizeSegment.count
        var (lists, packed): ([Int: [UInt8]], [Int: [UInt8]]) = ([:], [:])
        while true {
            let marker = try reader.number(2, at: offset)
            guard marker != Self.startOfTilePart else { break }
            if Self.hasNoSegment(marker) {
                offset += 2
                continue
            }
            guard marker > 0xFF4F, marker != 0xFFD9, marker != 0xFF93 else { throw reader.damage(at: offset) }
            let bytes = try reader.segment(at: offset + 2)
            try limits.checkHeader(offset + bytes.count, format: .jpeg2000)
            switch marker {
            case Self.packedPacketHeaders:
                if let number = bytes.first { packed[Int(number)] = Array(bytes.dropFirst()) }
            case Self.tilePartLengths: if let number = bytes.first { lists[Int(number)] = bytes }
            case Self.packetLengths, Self.comment, Self.registration: break
            default:
                guard style.take(marker, bytes, componentCount: grid.components.count) else {
                    throw reader.damage(at: offset)
                }
                segments += marker.bigEndianBytes(2) + (bytes.count + 2).bigEndianBytes(2) + bytes
            }
            offset += 4 + bytes.count
        }
        guard style[0] != nil else {
            throw ImageError(
                .corrupt, "the JPEG 2000 codestream's header has no coding style", byteOffset: range.lowerBound + offset
            )
        }
        firstTilePart = range.lowerBound + offset
        for number in lists.keys.sorted() { takeLengths(lists[number] ?? []) }
        takePackedHeaders(packed.keys.sorted().flatMap { packed[$0] ?? [] })
    }

    /// Takes the contents of all PPM segments (A.7.4): for each tile-part a length and as many bytes.
    private mutating func takePackedHeaders(_ bytes: [UInt8]) {
        var offset = 0
        while let count = bytes.bigEndian(at: offset, byteCount: 4), count <= bytes.count - offset - 4 {
            packedHeaders.append(Array(bytes[offset + 4..<offset + 4 + count]))
            offset += 4 + count
        }
    }

    /// Whether a marker is one of the reserved ones without a segment (A.1.1).
    static func hasNoSegment(_ marker: Int) -> Bool { (0xFF30...0xFF3F).contains(marker) }

    /// Takes the contents of a TLM segment (A.7.1).
    private mutating func takeLengths(_ bytes: [UInt8]) {
        guard bytes.count > 1 else { return }
        let (tileWidth, lengthWidth) = (Int(bytes[1] >> 4 & 3), bytes[1] & 0x40 == 0 ? 2 : 4)
        var offset = 2
        while let tile = bytes.bigEndian(at: offset, byteCount: tileWidth),
            let length = bytes.bigEndian(at: offset + tileWidth, byteCount: lengthWidth)
        {
            listed.append((tileWidth == 0 ? nil : tile, length))
            offset += tileWidth + lengthWidth
        }
    }

    static let startOfTilePart = 0xFF90
    private static let tilePartLengths = 0xFF55
    private static let packetLengths = 0xFF57
    private static let packedPacketHeaders = 0xFF60
    private static let registration = 0xFF63
    private static let comment = 0xFF64
}

/// Reads numbers and segments of a codestream, in pieces of 4 KiB.
final class SegmentReader {
    private let source: Source
    private let start: Int
    private var block: [UInt8] = []
    private var blockStart = 0

    private static let blockByteCount = 1 << 12

    /// A reader whose offsets count from `start`.
    init(_ source: Source, _ start: Int) {
        self.source = source
        self.start = start
    }

    /// Returns the big-endian number of `byteCount` bytes at `offset`.
    /// - Throws: `truncated`.
    func number(_ byteCount: Int, at offset: Int) throws(ImageError) -> Int {
        if offset < blockStart || offset + byteCount > blockStart + block.count {
            block = try source.bytes(upTo: Self.blockByteCount, at: start + offset) ?? []
            blockStart = offset
        }
        guard let number = block.bigEndian(at: offset - blockStart, byteCount: byteCount) else {
            throw ImageError(
                .truncated, "the JPEG 2000 codestream ends within its headers",
                byteOffset: min(start + offset, source.length))
        }
        return number
    }

    /// Returns the contents of the segment whose length is at `offset`.
    /// - Throws: `truncated` or `corrupt`.
    func segment(at offset: Int) throws(ImageError) -> [UInt8] {
        let count = try number(2, at: offset) - 2
        guard count >= 0 else { throw damage(at: offset) }
        return try source.bytes(count, at: start + offset + 2)
    }

    /// Whether there are no bytes at `offset`.
    func isTruncated(at offset: Int) -> Bool { start + offset > source.length }

    func damage(at offset: Int) -> ImageError {
        ImageError(
            .corrupt, "the JPEG 2000 codestream has an invalid marker or segment in its headers",
            byteOffset: start + offset)
    }
}
#endif
