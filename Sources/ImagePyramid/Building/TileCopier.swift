internal import ImageFormats
internal import JPEGBitstream
internal import Raster
internal import Synchronization

/// Copies the tiles of the full size out of a JPEG's bits, while its bytes come by on their way to the decoder.
///
/// A row of tiles is copied once its last byte was indexed. Until then its strip waits here, so that it can be encoded as
/// any other where the bits turn out to be damaged. Used by several threads: one feeds it, and any runs it.
final class TileCopier: Sendable {
    private struct Waiting {
        var pieces: [[UInt8]] = []
        /// Strips of the full size whose row isn't copied.
        var strips: [LevelStrip] = []
        /// Rows of tiles that are copied.
        var rowCount = 0
        var isRequested = false
        var isAtEnd = false
        /// Whether the remaining rows can't be copied; of the first of them, how many tiles are.
        var isOver = false
        var copiedTileCount = 0
    }

    /// What the thread that runs has to itself.
    private struct Work {
        var indexer: JPEGTileIndexer
        /// Bytes of the file from `start` on.
        var bytes: [UInt8] = []
        var start: Int
        var tile: [UInt8] = []
        var row = 0
    }

    private let geometry: PyramidGeometry
    private let layout: JPEGTileLayout
    private let assembler: JPEGTileAssembler
    private let queue: TileQueue
    private let sink: any TileSink
    private let waiting = Mutex(Waiting())
    private let work: Mutex<Work>

    /// Strips that wait for their row to be copied, at most.
    private static let stripLimit = 2

    /// A copier of the JPEG that begins with `header`; nil where its tiles are none of its own, or its bits can't be entered.
    /// - Parameter segments: What each tile gets beside what it has from the JPEG.
    init?(
        header: [UInt8], inserting segments: [UInt8], _ builder: PyramidBuilder, queue: TileQueue, sink: any TileSink
    ) {
        let (geometry, encoding) = (sink.geometry, sink.encoding)
        guard builder.copiesFullSize, encoding.format == .jpeg, encoding.padding == .none,
            geometry.overlap == 0,
            let layout = try? JPEGTileLayout(header: header.span.bytes, columnWidth: geometry.tileSize),
            PixelSize(width: layout.width, height: layout.height) == geometry.size,
            geometry.columnCount(0) == 1 || geometry.tileSize == layout.columnWidth,
            geometry.rowCount(0) == 1 || geometry.tileSize.isMultiple(of: layout.mcuHeight)
        else { return nil }
        self.geometry = geometry
        self.layout = layout
        self.queue = queue
        self.sink = sink
        assembler = JPEGTileAssembler(layout, inserting: segments)
        work = Mutex(Work(indexer: JPEGTileIndexer(layout, makesEighth: false), start: layout.dataOffset))
        feed(header.span.bytes.extracting(droppingFirst: layout.dataOffset))
    }

    func feed(_ bytes: RawSpan) {
        guard bytes.byteCount > 0 else { return }
        // Used within the call only.
        let piece = bytes.withUnsafeBytes { Array($0) }
        let isNew = waiting.withLock { waiting in
            guard !waiting.isOver else { return false }
            waiting.pieces.append(piece)
            defer { waiting.isRequested = true }
            return !waiting.isRequested
        }
        if isNew { queue.requestCopying() }
    }

    /// Takes the strip of a row of tiles: to be dropped when the row is copied, or to be encoded when it can't be.
    func take(_ strip: LevelStrip) throws(ImageError) {
        let (isTooMany, encodedFrom): (Bool, Int?) = waiting.withLock { waiting in
            if strip.line < waiting.rowCount { return (false, nil) }
            if waiting.isOver { return (false, strip.line == waiting.rowCount ? waiting.copiedTileCount : 0) }
            waiting.strips.append(strip)
            return (waiting.strips.count > Self.stripLimit, nil)
        }
        if let encodedFrom { queue.add(strip, from: encodedFrom) }
        if isTooMany { try run() }
    }

    /// Says that all bytes have come, and returns when all rows are copied, or are to be encoded.
    func finish() throws(ImageError) {
        waiting.withLock { $0.isAtEnd = true }
        try run()
    }

    /// Indexes the bytes that have come, and copies the rows that they complete.
    func run() throws(ImageError) {
        try work.withLock { (work) throws(ImageError) in
            while true {
                let (pieces, isAtEnd, isOver) = waiting.withLock { waiting in
                    let pieces = waiting.pieces
                    waiting.pieces = []
                    waiting.isRequested = false
                    return (pieces, waiting.isAtEnd, waiting.isOver)
                }
                guard !isOver, work.row < geometry.rowCount(0) else { return }
                for piece in pieces {
                    work.bytes += piece
                    work.indexer.append(piece.span.bytes)
                    try copyRows(&work)
                }
                if pieces.isEmpty, isAtEnd {
                    work.indexer.finish()
                    try copyRows(&work)
                }
                let isAtFault = work.indexer.index.failure != nil || pieces.isEmpty && isAtEnd
                if isAtFault, work.row < geometry.rowCount(0) { giveUp(0) }
                if pieces.isEmpty { return }
            }
        }
    }

    /// Copies the rows of tiles that are indexed.
    private func copyRows(_ work: inout Work) throws(ImageError) {
        while work.row < geometry.rowCount(0) {
            let rows = work.row * geometry.tileSize..<(work.row + 1) * geometry.tileSize
            guard let row = layout.window(x: 0..<geometry.size.width, y: rows),
                row.rows.upperBound <= work.indexer.index.rowCount
            else { break }
            for column in 0..<geometry.columnCount(0) {
                guard try copy(TileAddress(level: 0, column: column, row: work.row), &work) else {
                    return giveUp(column)
                }
            }
            work.row += 1
            let count = work.row
            let copied = waiting.withLock { waiting in
                waiting.rowCount = count
                let copied = waiting.strips.filter { $0.line < count }
                waiting.strips.removeAll { $0.line < count }
                return copied
            }
            withExtendedLifetime(copied) {}
        }
        dropBytes(&work)
    }

    /// Copies a tile; false where its bits aren't what was indexed.
    private func copy(_ address: TileAddress, _ work: inout Work) throws(ImageError) -> Bool {
        if queue.failure != nil { return true }
        if sink.contains(address) {
            queue.didFinish()
            return true
        }
        let rect = geometry.rect(of: address)
        guard let window = layout.window(x: rect.x..<rect.x + rect.width, y: rect.y..<rect.y + rect.height) else {
            return false
        }
        // Taken out for the call, so that its memory serves the next tile too.
        var tile: [UInt8] = []
        swap(&tile, &work.tile)
        tile.removeAll(keepingCapacity: true)
        defer { swap(&tile, &work.tile) }
        let (bytes, start) = (work.bytes, work.start)
        do {
            try assembler.append(
                window, of: work.indexer.index, from: bytes.span.bytes, startingAt: start, to: &tile)
        } catch {
            return false
        }
        try sink.write(tile.span.bytes, at: address)
        queue.didFinish()
        return true
    }

    /// Lets go of bytes that no row to come needs, now and then.
    private func dropBytes(_ work: inout Work) {
        let index = work.indexer.index
        let next = work.row * geometry.tileSize / layout.mcuHeight
        guard next < index.rowCount else { return }
        let unneeded = Int(index.entry(row: next, column: 0).position / 8) - work.start
        guard unneeded > 1 << 20 else { return }
        work.bytes.removeFirst(unneeded)
        work.start += unneeded
    }

    /// Has the remaining rows encoded, of which the first has some tiles already.
    private func giveUp(_ copiedTileCount: Int) {
        let strips = waiting.withLock { waiting in
            guard !waiting.isOver else { return [LevelStrip]() }
            waiting.isOver = true
            waiting.copiedTileCount = copiedTileCount
            let strips = waiting.strips
            waiting.strips = []
            waiting.pieces = []
            return strips
        }
        let first = waiting.withLock { $0.rowCount }
        for strip in strips { queue.add(strip, from: strip.line == first ? copiedTileCount : 0) }
    }
}
