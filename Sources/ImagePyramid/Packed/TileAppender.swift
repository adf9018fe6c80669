internal import ImageFormats
internal import Raster
internal import Synchronization

/// Appends tiles to a file from any thread, in pieces of about a megabyte.
///
/// Each thread fills a separate piece, whose offset is assigned when it is written, so that no thread waits for
/// another's bytes.
final class TileAppender: Sendable {
    /// Bytes to be written.
    // Used by one thread at a time: a piece is in the list of idle ones, or with the thread that removed it.
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

    /// Bytes collected before they are written.
    private static let pieceByteCount = 1 << 20

    private let file: OutputFile
    private let isChunked: Bool
    private let state: Mutex<State>

    /// Appends to `file` from `start` on.
    /// - Parameters:
    ///   - places: The places of existing tiles, ordered by number.
    ///   - isChunked: Whether each piece becomes a chunk with a directory of its tiles.
    init(_ file: OutputFile, start: Int, places: [TilePlace], isChunked: Bool) {
        self.file = file
        self.isChunked = isChunked
        state = Mutex(State(end: start, places: places))
    }

    /// Returns whether the tile with this number is in the file.
    func contains(_ number: Int) -> Bool { state.withLock { !$0.places[number].isMissing } }

    /// Appends `head` followed by a tile.
    /// - Throws: The error of writing this or an earlier piece.
    func append(_ tile: UnsafeRawBufferPointer, number: Int, head: [UInt8] = []) throws(ImageError) {
        guard !tile.isEmpty, tile.count < 1 << 31 else {
            throw ImageError(.invalidParameter, "invalid tile of \(tile.count) bytes")
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

    /// Writes bytes that aren't a tile immediately.
    /// - Returns: Their offset.
    func append(_ bytes: [UInt8]) throws(ImageError) -> Int {
        let start = state.withLock { state in
            defer { state.end += bytes.count }
            return state.end
        }
        try file.write(bytes, at: start)
        return start
    }

    /// Writes all buffered pieces. No other thread may append during the call.
    /// - Returns: The places of the tiles, and the file's end.
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
                // Headers are written first and in order, so that a reader of an interrupted file finds the next chunk
                // even after one whose bytes are missing.
                if isChunked { try file.write(head, at: start) }
                return start
            }
            let bytes = piece.bytes
            // The pointer is used only within the call.
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
