#if JPEG2000
internal import Raster

/// The places of all tile-parts of a codestream.
struct JPEG2000TileParts: Sendable {
    /// A tile's part: its place in the file, from its SOT marker on.
    struct Part: Sendable {
        var range: Range<Int>
        /// The number of parts before it in the codestream.
        var index: Int
        /// Whether the file ends before the part does.
        var isTruncated = false
    }

    /// The parts of each tile, in order.
    private var parts: [Int: [Part]] = [:]
    /// The reason why tiles are missing, if any are.
    private(set) var failure: ImageError?

    /// The least bytes of a tile-part: SOT and SOD.
    private static let leastByteCount = 14
    /// More parts than any encoder makes; each has at least 14 bytes.
    private static let maximumCount = 1 << 20

    /// Finds the tile-parts by the lengths in the main header or, without those, by going from one to the next.
    /// - Throws: `inputOutput`. Damage ends the list, and is in `failure`.
    init(_ codestream: JPEG2000Codestream, _ source: Source) throws(ImageError) {
        let end = min(codestream.range.upperBound, source.length)
        if takeListed(codestream, end) { return }
        let reader = SegmentReader(source, 0)
        var (offset, count) = (codestream.firstTilePart, 0)
        do throws(ImageError) {
            while count < Self.maximumCount, offset < end {
                let marker = try reader.number(2, at: offset)
                if marker == Self.endOfCodestream { return }
                guard marker == JPEG2000Codestream.startOfTilePart, try reader.number(2, at: offset + 2) == 10 else {
                    throw reader.damage(at: offset)
                }
                let (tile, length) = (try reader.number(2, at: offset + 4), try reader.number(4, at: offset + 6))
                // 0 stands for the rest.
                let byteCount = length == 0 ? codestream.range.upperBound - offset : length
                guard byteCount >= Self.leastByteCount, tile < codestream.grid.columnCount * codestream.grid.rowCount
                else { throw reader.damage(at: offset + 4) }
                let isTruncated = byteCount > end - offset
                parts[tile, default: []].append(
                    Part(
                        range: offset..<offset + min(byteCount, end - offset), index: count, isTruncated: isTruncated))
                offset += byteCount
                count += 1
            }
            guard offset >= end else {
                throw ImageError(
                    .limitExceeded, "the JPEG 2000 codestream has more than \(Self.maximumCount) tile-parts",
                    byteOffset: offset)
            }
        } catch {
            guard error.code != .inputOutput else { throw error }
            failure = error
        }
    }

    /// Takes the parts that the main header lists; false if the list can't be right.
    private mutating func takeListed(_ codestream: JPEG2000Codestream, _ end: Int) -> Bool {
        let listed = codestream.listed
        let tileCount = codestream.grid.columnCount * codestream.grid.rowCount
        guard !listed.isEmpty, listed.count <= Self.maximumCount else { return false }
        var offset = codestream.firstTilePart
        var found: [Int: [Part]] = [:]
        for (index, entry) in listed.enumerated() {
            let tile = entry.tile ?? index
            guard tile < tileCount, entry.byteCount >= Self.leastByteCount, entry.byteCount <= end - offset else {
                return false
            }
            found[tile, default: []].append(Part(range: offset..<offset + entry.byteCount, index: index))
            offset += entry.byteCount
        }
        guard found.count == tileCount else { return false }
        parts = found
        return true
    }

    /// The number of bytes of tile `index`; 0 if it is missing.
    func byteCount(of index: Int) -> Int { parts[index]?.reduce(0) { $0 + $1.range.count } ?? 0 }

    /// The parts of tile `index`.
    /// - Throws: The reason why there are none.
    func parts(of index: Int, _ codestream: JPEG2000Codestream, _ source: Source) throws(ImageError) -> [Part] {
        if let found = parts[index] { return found }
        let end = min(codestream.range.upperBound, source.length)
        throw failure ?? ImageError(.truncated, "the JPEG 2000 codestream lacks tile \(index)", byteOffset: end)
    }

    private static let endOfCodestream = 0xFFD9
}
#endif
