#if JPEG2000
internal import Raster

/// A codestream of some tiles of another one, adjacent in columns and rows.
///
/// Its grid is that of the whole image, from which other edges cut these tiles: samples, precincts and code blocks depend on their
/// places on the grid alone, so they decode to the same values.
struct JPEG2000Cut {
    private(set) var bytes: [UInt8] = []
    /// The part of the image that the tiles cover.
    let area: JPEG2000Grid.Area
    /// Whether the file ends within a tile.
    private(set) var isTruncated = false
    /// The least number of times that the tiles can be halved.
    private(set) var levelCount: Int
    /// The most memory that OpenJPEG's structures for a tile take, without samples.
    private(set) var structureByteCount = 0

    /// Copies the tiles in `columns` and `rows` of the codestream in `source`, for an image that is halved `halvings` times:
    /// without the packets of larger resolutions, where those come last.
    /// - Throws: `limitExceeded` for more bytes than the limits allow; `corrupt`, `truncated` or `inputOutput`.
    init(
        columns: Range<Int>, rows: Range<Int>, of codestream: JPEG2000Codestream, _ parts: JPEG2000TileParts,
        _ source: Source, halvings: Int, limits: DecodingLimits
    ) throws(ImageError) {
        let grid = codestream.grid
        area = grid.area(columns: columns, rows: rows)
        levelCount = codestream.levelCount
        bytes = Self.head(of: codestream, area, columns: columns, rows: rows)
        var byteCount = bytes.count
        for row in rows {
            for column in columns {
                let index = row * grid.columnCount + column
                let found = try parts.parts(of: index, codestream, source)
                let number = (row - rows.lowerBound) * columns.count + column - columns.lowerBound
                let tile = grid.area(columns: column..<column + 1, rows: row..<row + 1)
                let start = bytes.count
                if halvings > 0,
                    let some = try Self.smallest(found, of: index, as: number, tile, codestream, source, halvings)
                {
                    byteCount += some.count
                    try limits.checkHeld(byteCount, format: .jpeg2000)
                    bytes += some
                } else {
                    for part in found {
                        byteCount += part.range.count
                        isTruncated = isTruncated || part.isTruncated
                    }
                    try limits.checkHeld(byteCount, format: .jpeg2000)
                    try append(found, of: index, as: number, codestream, source)
                }
                try check(found, from: start, tile, codestream)
            }
        }
        bytes += [0xFF, 0xD9]
    }

    private static func head(
        of codestream: JPEG2000Codestream, _ area: JPEG2000Grid.Area, columns: Range<Int>, rows: Range<Int>
    ) -> [UInt8] {
        let grid = codestream.grid
        let left = grid.tileOrigin.x + columns.lowerBound * grid.tileSize.width
        let top = grid.tileOrigin.y + rows.lowerBound * grid.tileSize.height
        // OpenJPEG's sums of an origin and a size have 32 bits, which a single tile may exceed.
        let width = columns.count == 1 ? area.x.upperBound - left : grid.tileSize.width
        let height = rows.count == 1 ? area.y.upperBound - top : grid.tileSize.height
        let numbers = [
            area.x.upperBound, area.y.upperBound, area.x.lowerBound, area.y.lowerBound, width, height, left, top,
        ]
        let size = codestream.sizeSegment
        return [0xFF, 0x4F, 0xFF, 0x51] + (size.count + 2).bigEndianBytes(2) + size.prefix(2)
            + numbers.flatMap { $0.bigEndianBytes(4) } + size.dropFirst(34) + codestream.segments
    }

    /// The parts of tile `index`, as those of tile `number`, up to the last packet that the tile needs when it is halved.
    /// - Returns: nil where that isn't known.
    private static func smallest(
        _ parts: [JPEG2000TileParts.Part], of index: Int, as number: Int, _ tile: JPEG2000Grid.Area,
        _ codestream: JPEG2000Codestream, _ source: Source, _ halvings: Int
    ) throws(ImageError) -> [UInt8]? {
        guard codestream.packedHeaders.isEmpty, parts.count <= 255, !parts.contains(where: { $0.isTruncated }) else {
            return nil
        }
        let components = codestream.grid.components
        var packets: JPEG2000Packets?
        var kept: [[UInt8]] = []
        for part in parts {
            // More than the share of the pixels: smaller resolutions have more bytes for each.
            var count = min(part.range.count, max(1 << 12, part.range.count >> halvings))
            var end = JPEG2000Packets.End.withinPacket
            while end == .withinPacket {
                var piece = try source.bytes(count, at: part.range.lowerBound)
                guard isPart(piece, of: index) else { return nil }
                if let segments = segments(ofPartAt: 0, in: piece), let start = headerEnd(ofPartAt: 0, in: piece) {
                    guard let style = codestream.style.with(segments, componentCount: components.count),
                        style.isByResolution,
                        var attempt = packets ?? JPEG2000Packets(style, tile, components, halvings: halvings)
                    else { return nil }
                    end = attempt.read(piece, from: start + 2)
                    if case .complete(let end) = end { piece.removeSubrange(end...) }
                    if end == .betweenPackets, count < part.range.count { end = .withinPacket }
                    if end != .withinPacket { packets = attempt }
                }
                if end != .withinPacket {
                    piece.replaceSubrange(4..<10, with: number.bigEndianBytes(2) + piece.count.bigEndianBytes(4))
                    kept.append(piece)
                } else {
                    guard count < part.range.count else { return nil }
                    count = min(part.range.count, 4 * count)
                }
            }
            guard end == .betweenPackets else {
                // A part says how many there are.
                for index in kept.indices { kept[index][11] = UInt8(kept.count) }
                return Array(kept.joined())
            }
        }
        return nil
    }

    /// Whether a tile-part of tile `index` begins with these bytes.
    private static func isPart(_ bytes: [UInt8], of index: Int) -> Bool {
        bytes.count >= 12 && bytes.bigEndian(at: 0, byteCount: 2) == JPEG2000Codestream.startOfTilePart
            && bytes.bigEndian(at: 4, byteCount: 2) == index
    }

    /// Copies the parts of tile `index` as those of tile `number`.
    private mutating func append(
        _ parts: [JPEG2000TileParts.Part], of index: Int, as number: Int, _ codestream: JPEG2000Codestream,
        _ source: Source
    ) throws(ImageError) {
        var packedCount = 0
        for part in parts {
            var piece = try source.bytes(part.range.count, at: part.range.lowerBound)
            guard Self.isPart(piece, of: index) else {
                throw ImageError(
                    part.isTruncated ? .truncated : .corrupt, "the JPEG 2000 tile doesn't begin where it should",
                    byteOffset: part.range.lowerBound)
            }
            if !codestream.packedHeaders.isEmpty {
                guard codestream.packedHeaders.indices.contains(part.index),
                    let end = Self.headerEnd(ofPartAt: 0, in: piece)
                else {
                    throw ImageError(
                        .corrupt, "the JPEG 2000 tile has no packet headers", byteOffset: part.range.lowerBound)
                }
                let segments = Self.packetHeaders(codestream.packedHeaders[part.index], from: &packedCount)
                piece.insert(contentsOf: segments, at: end)
            }
            piece.replaceSubrange(4..<10, with: number.bigEndianBytes(2) + piece.count.bigEndianBytes(4))
            bytes += piece
        }
    }

    /// Checks the header of a tile that covers `tile`, whose copy begins at `start`, and what it takes to decode it.
    private mutating func check(
        _ parts: [JPEG2000TileParts.Part], from start: Int, _ tile: JPEG2000Grid.Area, _ codestream: JPEG2000Codestream
    ) throws(ImageError) {
        guard let first = parts.first else { return }
        guard
            let segments = Self.segments(ofPartAt: start, in: bytes),
            let style = codestream.style.with(segments, componentCount: codestream.grid.components.count)
        else {
            throw ImageError(
                first.isTruncated ? .truncated : .corrupt, "the header of the JPEG 2000 tile is invalid",
                byteOffset: first.range.lowerBound)
        }
        levelCount = min(levelCount, style.leastLevelCount(componentCount: codestream.grid.components.count))
        let memory = JPEG2000Memory(style, tile, codestream.grid.components)
        // A packet takes a byte at least. The few of a small tile may be missing.
        guard memory.packetCount <= max(1 << 22, bytes.count - start) else {
            throw ImageError(
                .limitExceeded,
                "the JPEG 2000 tile has \(memory.packetCount) packets in \(bytes.count - start) bytes",
                byteOffset: first.range.lowerBound)
        }
        structureByteCount = max(structureByteCount, memory.byteCount)
    }

    /// The segments of a tile-part's header (PPT, A.7.5) with `bytes`, numbered from `number` on.
    private static func packetHeaders(_ bytes: [UInt8], from number: inout Int) -> [UInt8] {
        var (segments, offset): ([UInt8], Int) = ([], 0)
        repeat {
            let count = min(bytes.count - offset, 65000)
            segments += [0xFF, 0x61] + (count + 3).bigEndianBytes(2) + [UInt8(truncatingIfNeeded: number)]
            segments += bytes[offset..<offset + count]
            offset += count
            number += 1
        } while offset < bytes.count
        return segments
    }

    /// The place of the SOD marker of the tile-part at `start`; nil if its header is damaged.
    private static func headerEnd(ofPartAt start: Int, in bytes: [UInt8]) -> Int? {
        var end: Int?
        walk(start, bytes) { marker, range in if marker == startOfData { end = range.lowerBound - 2 } }
        return end
    }

    /// Returns the segments of the tile-part at `start` that say how it is coded; nil if its header is damaged.
    private static func segments(ofPartAt start: Int, in bytes: [UInt8]) -> [(marker: Int, bytes: [UInt8])]? {
        var found: [(marker: Int, bytes: [UInt8])] = []
        var isComplete = false
        walk(start, bytes) { marker, range in
            if marker == startOfData { isComplete = true }
            if JPEG2000CodingStyle.markers.contains(marker) { found.append((marker, Array(bytes[range]))) }
        }
        return isComplete ? found : nil
    }

    /// Calls `body` with each marker of a tile-part's header and the place of its segment, SOD the last.
    private static func walk(_ start: Int, _ bytes: [UInt8], body: (Int, Range<Int>) -> Void) {
        var offset = start + 12
        while let marker = bytes.bigEndian(at: offset, byteCount: 2) {
            guard marker != startOfData else { return body(marker, offset + 2..<offset + 2) }
            if JPEG2000Codestream.hasNoSegment(marker) {
                offset += 2
                continue
            }
            guard marker > 0xFF4F, let count = bytes.bigEndian(at: offset + 2, byteCount: 2), count >= 2,
                offset + 2 + count <= bytes.count
            else { return }
            body(marker, offset + 4..<offset + 2 + count)
            offset += 2 + count
        }
    }

    private static let startOfData = 0xFF93
}
#endif
