internal import ImageFormats
internal import Raster
internal import Synchronization

/// Puts tiles into a file one behind the other, from any thread, in pieces of about a megabyte.
///
/// A thread fills a piece of its own, and its place in the file is settled when it is written: nobody waits for anybody
/// else's bytes.
final class TileAppender: Sendable {
    /// Bytes on their way into the file.
    // One thread's at a time: it is in the list of idle pieces, or with who took it from there.
    private final class Piece: @unchecked Sendable {
        var bytes: [UInt8] = []
        var tiles: [(number: Int, place: TilePlace)] = []
    }

    private struct State {
        var idle: [Piece] = []
        var end: Int
        var places: [TilePlace]
        var failure: ImageError?
    }

    /// Bytes gathered before they are written.
    private static let pieceByteCount = 1 << 20

    private let file: OutputFile
    private let isChunked: Bool
    private let state: Mutex<State>

    /// Appends to `file` from `start` on.
    /// - Parameters:
    ///   - places: Where tiles are already, in the order of their numbers.
    ///   - isChunked: Whether each piece becomes a chunk that says which tiles are in it.
    init(_ file: OutputFile, start: Int, places: [TilePlace], isChunked: Bool) {
        self.file = file
        self.isChunked = isChunked
        state = Mutex(State(end: start, places: places))
    }

    /// Whether the tile of this number is there, or on its way.
    func contains(_ number: Int) -> Bool { state.withLock { !$0.places[number].isMissing } }

    /// Appends `head` and behind it a tile.
    /// - Throws: What kept this or an earlier piece from being written.
    func append(_ tile: UnsafeRawBufferPointer, number: Int, head: [UInt8] = []) throws(ImageError) {
        guard !tile.isEmpty, tile.count < 1 << 31 else {
            throw ImageError(.invalidParameter, "a tile of \(tile.count) bytes is none")
        }
        let checksum = CRC32.of(tile)
        let piece = try take()
        if piece.bytes.isEmpty, isChunked {
            piece.bytes.append(contentsOf: repeatElement(0, count: PackedChunk.headerByteCount))
        }
        piece.bytes.append(contentsOf: head)
        let place = TilePlace(
            offset: UInt64(piece.bytes.count), byteCount: UInt32(tile.count), checksum: checksum)
        piece.bytes.append(contentsOf: tile)
        piece.tiles.append((number, place))
        if piece.bytes.count >= Self.pieceByteCount { try write(piece) }
        state.withLock { $0.idle.append(piece) }
    }

    /// Appends bytes of no tile, at once.
    /// - Returns: Where they are.
    func append(_ bytes: [UInt8]) throws(ImageError) -> Int {
        let start = state.withLock { state in
            defer { state.end += bytes.count }
            return state.end
        }
        try file.write(bytes, at: start)
        return start
    }

    /// Writes what was gathered. No thread may append at the same time.
    /// - Returns: Where the tiles are, and where the file ends.
    func finish() throws(ImageError) -> (places: [TilePlace], end: Int) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        while let piece = state.withLock({ $0.idle.popLast() }) {
            if !piece.tiles.isEmpty { try write(piece) }
        }
        return state.withLock { ($0.places, $0.end) }
    }

    private func take() throws(ImageError) -> Piece {
        let (piece, failure) = state.withLock { ($0.idle.popLast(), $0.failure) }
        if let failure { throw failure }
        return piece ?? Piece()
    }

    private func write(_ piece: Piece) throws(ImageError) {
        if isChunked { PackedChunk.close(&piece.bytes, piece.tiles.map { ($0.number, $0.place) }) }
        let (file, isChunked, count) = (file, isChunked, piece.bytes.count)
        let head = isChunked ? Array(piece.bytes[..<PackedChunk.headerByteCount]) : []
        do throws(ImageError) {
            let start = try state.withLock { (state) throws(ImageError) in
                let start = state.end
                state.end += count
                // The header first and in order: whoever reads an interrupted file finds the next chunk behind one whose
                // bytes never came.
                if isChunked { try file.write(head, at: start) }
                return start
            }
            let bytes = piece.bytes
            // Used within the call only.
            try bytes.span.bytes.withUnsafeBytes { (bytes) throws(ImageError) in
                try file.write(UnsafeRawBufferPointer(rebasing: bytes[head.count...]), at: start + head.count)
            }
            let tiles = piece.tiles
            state.withLock { state in
                for (number, place) in tiles {
                    state.places[number] = TilePlace(
                        offset: place.offset + UInt64(start), byteCount: place.byteCount, checksum: place.checksum)
                }
            }
        } catch {
            state.withLock { $0.failure = $0.failure ?? error }
            throw error
        }
        piece.bytes.removeAll(keepingCapacity: true)
        piece.tiles.removeAll(keepingCapacity: true)
    }
}
