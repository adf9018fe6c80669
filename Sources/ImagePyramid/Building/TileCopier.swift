internal import ImageFormats
internal import JPEGBitstream
internal import Raster
internal import Synchronization

/// Copies full-size tiles from a JPEG's bits, which it reads beside the decoder.
///
/// A row of tiles is copied after its last byte is indexed. Until then its strip is kept, so that it can be encoded if
/// the bits turn out to be damaged. One thread hands over strips, and any thread runs the copier.
final class TileCopier: Sendable {
    private struct Waiting {
        /// Strips of the full size whose rows aren't copied yet.
        var strips: [LevelStrip] = []
        /// The number of rows of tiles that are copied.
        var rowCount = 0
        var isRequested = false
        /// Whether the remaining rows can't be copied; and how many tiles of the first of them are.
        var isOver = false
        var copiedTileCount = 0
    }

    /// State that only the running thread uses.
    private struct Work {
        let reader: Source.Reader
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

    /// The most strips that wait for their row to be copied.
    private static let stripLimit = 2

    /// Creates a copier of the JPEG in `source`; nil if the sink's tiles don't match its MCUs, or decoding can start only
    /// at its beginning.
    /// - Parameters:
    ///   - headerByteCount: The number of bytes in which the JPEG's header is.
    ///   - segments: Marker segments to insert into each tile.
    init?(
        _ source: Source, headerByteCount: Int, inserting segments: [UInt8], _ builder: PyramidBuilder,
        queue: TileQueue, sink: any TileSink
    ) {
        let (geometry, encoding) = (sink.geometry, sink.encoding)
        guard builder.copiesFullSize, encoding.format == .jpeg, encoding.padding == .none,
            geometry.overlap == 0, let header = try? source.bytes(headerByteCount, at: 0),
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
        work = Mutex(
            Work(
                reader: source.reader(from: layout.dataOffset),
                indexer: JPEGTileIndexer(layout, makesEighth: false), start: layout.dataOffset))
    }

    /// Takes the strip of a row of tiles, which is dropped if the row is copied, and encoded if it can't be.
    func take(_ strip: LevelStrip) throws(ImageError) {
        enum Fate { case copied, encoded(from: Int), waits(isNew: Bool, isTooMany: Bool) }
        let fate: Fate = waiting.withLock { waiting in
            if strip.line < waiting.rowCount { return .copied }
            if waiting.isOver {
                return .encoded(from: strip.line == waiting.rowCount ? waiting.copiedTileCount : 0)
            }
            waiting.strips.append(strip)
            defer { waiting.isRequested = true }
            return .waits(isNew: !waiting.isRequested, isTooMany: waiting.strips.count > Self.stripLimit)
        }
        switch fate {
        case .copied: break
        case .encoded(let first): queue.add(strip, from: first)
        case .waits(_, isTooMany: true): try run()
        case .waits(let isNew, _): if isNew { queue.requestCopying() }
        }
    }

    /// Returns when all rows are copied or queued for encoding; their strips were taken.
    func finish() throws(ImageError) { try run() }

    /// Reads and indexes bytes up to the last strip that waits, and copies the rows that they complete.
    func run() throws(ImageError) {
        try work.withLock { (work) throws(ImageError) in
            while true {
                let (last, isOver) = waiting.withLock { waiting in
                    waiting.isRequested = false
                    return (waiting.strips.last?.line ?? -1, waiting.isOver)
                }
                guard !isOver, work.row <= last else { return }
                let hasMore = read(&work)
                try copyRows(&work)
                if !hasMore || work.indexer.index.failure != nil, work.row < geometry.rowCount(0) { giveUp(0) }
            }
        }
    }

    /// Reads and indexes the next bytes; false at the end, and where they can't be read, which the decoder reports.
    private func read(_ work: inout Work) -> Bool {
        let reader = work.reader
        let hasMore = try? reader.nextBytes { piece in
            // The pointer is used within the call only.
            piece.withUnsafeBytes { work.bytes.append(contentsOf: $0) }
            work.indexer.append(piece)
        }
        if hasMore != true { work.indexer.finish() }
        return hasMore ?? false
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

    /// Copies a tile; returns false if its bits don't match the index.
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
        // Taken out for the call, so that its memory is reused for the next tile.
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

    /// Discards bytes that later rows don't need, a megabyte or more at a time.
    private func dropBytes(_ work: inout Work) {
        let index = work.indexer.index
        let next = work.row * geometry.tileSize / layout.mcuHeight
        guard next < index.rowCount else { return }
        let unneeded = Int(index.entry(row: next, column: 0).position / 8) - work.start
        guard unneeded > 1 << 20 else { return }
        work.bytes.removeFirst(unneeded)
        work.start += unneeded
    }

    /// Queues the remaining rows for encoding; the first of them has some tiles already.
    private func giveUp(_ copiedTileCount: Int) {
        let strips = waiting.withLock { waiting in
            guard !waiting.isOver else { return [LevelStrip]() }
            waiting.isOver = true
            waiting.copiedTileCount = copiedTileCount
            let strips = waiting.strips
            waiting.strips = []
            return strips
        }
        let first = waiting.withLock { $0.rowCount }
        for strip in strips { queue.add(strip, from: strip.line == first ? copiedTileCount : 0) }
    }
}
