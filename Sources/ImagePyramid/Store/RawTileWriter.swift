package import Raster

/// Fills a `RawTileStore` with an image's rows: all levels in one pass, with smaller levels made and tiles written on
/// another thread.
///
/// Rows come as stored, top to bottom, in sRGB, and may be repeated in several passes of increasing quality. Memory
/// holds a row of tiles of each level, and those on their way to the file. For use by one task at a time.
package final class RawTileWriter: RowSink {
    let store: RawTileStore
    private(set) var info: BitmapInfo
    private let byteLimit: Int
    private let queue = TileWritingQueue()
    private var strips: LevelStrips?
    private var smaller: SmallerLevelWriter?
    private var isBegun = false
    private var pass = 1
    /// The number of rows of the full level's unfinished strip that have been sent to the file.
    private var sentRowCount = 0

    /// Rows that are sent before their strip is whole, so that little remains after the last one.
    static let earlyRowCount = 64
    /// Rows of tiles in one piece of work.
    private static let pieceRowCount = 4096

    /// Creates a writer of rows described by `info`.
    ///
    /// - Parameter byteLimit: The most bytes that rows of tiles, as wide as the image, may occupy in memory.
    /// - Throws: `invalidParameter` for rows that differ in size from the store, have 16-bit channels, aren't in sRGB,
    ///   or have alpha while the store has none; `limitExceeded` if rows of tiles would take more memory.
    package init(_ store: RawTileStore, rows info: BitmapInfo, byteLimit: Int = 1 << 30) throws(ImageError) {
        self.store = store
        self.byteLimit = byteLimit
        self.info = info
        try begin()
        isBegun = true
    }

    deinit {
        // A waiting task mustn't wait for a tile that is never made. A writer whose initializer failed doesn't end the
        // store.
        guard isBegun else { return }
        store.fail(ImageError(.cancelled, "decoding was cancelled"))
    }

    /// Prepares for the first row of a pass.
    private func begin() throws(ImageError) {
        let size = store.orientation.inverse.applied(to: store.geometry.size)
        guard info.size == size, info.format.bitsPerChannel == 8, info.profile == .sRGB,
            store.alpha.hasAlpha || !info.alpha.hasAlpha
        else {
            throw ImageError(
                .invalidParameter,
                "rows of \(info.size) in \(info.format) don't fit the tiles of an image stored at \(size)")
        }
        let strips = try makeStrips()
        let smaller = SmallerLevelWriter(store, pass: pass)
        try smaller.begin(strips)
        (self.strips, self.smaller) = (strips, smaller)
    }

    private func makeStrips() throws(ImageError) -> LevelStrips {
        sentRowCount = 0
        return try LevelStrips(
            store.geometry, layout: info.format.isGray ? .gray : .rgba, orientation: store.orientation,
            byteLimit: byteLimit, leavesSmallerLevels: true
        ) { [unowned self] (strip) throws(ImageError) in
            let first = sentRowCount
            sentRowCount = 0
            guard Self.isToBeWritten(strip, pass: pass) else { return }
            try send(strip, first..<strip.rect.height, isLast: true)
        }
    }

    /// If a later pass ends early, the previous one shows more.
    static func isToBeWritten(_ strip: LevelStrip, pass: Int) -> Bool {
        strip.isWhole || pass == 1 && strip.filledRowCount > 0
    }

    /// Queues some rows of a strip's tiles for writing.
    private func send(_ strip: LevelStrip, _ rows: Range<Int>, isLast: Bool) throws(ImageError) {
        if let error = store.error { throw error }
        let (store, pass) = (store, pass)
        let tileCount = max(1, Self.pieceRowCount / max(1, rows.count))
        for first in stride(from: 0, to: strip.tileCount, by: tileCount) {
            let tiles = first..<min(strip.tileCount, first + tileCount)
            queue.perform { store.write(tiles, of: strip, rows: rows, pass: pass, isLast: isLast) }
        }
    }

    /// Sends rows of an unfinished strip in the first pass (in a later one a tile would mix both), and queues pairs of
    /// rows for halving.
    private func sendEarly(_ strips: LevelStrips) throws(ImageError) {
        if pass == 1, let strip = strips.unfinishedStrip {
            let rows = sentRowCount..<strip.filledRowCount
            if rows.count >= Self.earlyRowCount {
                try send(strip, rows, isLast: false)
                sentRowCount = rows.upperBound
            }
        }
        if 2 * strips.pairs.count >= Self.earlyRowCount { sendPairs() }
    }

    /// Queues the pairs of rows that have arrived for the smaller levels.
    private func sendPairs() {
        guard let pairs = strips?.takePairs(), !pairs.isEmpty, let smaller else { return }
        queue.perform { smaller.take(pairs) }
    }

    /// Appends rows.
    /// - Throws: `invalidParameter` for more rows than the image has; `inputOutput` if a tile couldn't be written.
    package func write(_ rows: borrowing PixelRows) throws(ImageError) {
        var done = 0
        while done < rows.count {
            let first = done
            let count = rows.count
            done += try append { (target) throws(ImageError) in
                let taken = min(target.count, count - first)
                target.copy(rows.extracting(first..<first + taken))
                return taken
            }
        }
    }

    /// Appends rows that `fill` writes in place; it receives some of the next rows and returns how many it filled.
    func append(
        filling fill: (inout MutablePixelRows) throws(ImageError) -> Int
    ) throws(ImageError) -> Int {
        guard let strips, !strips.isComplete else {
            throw ImageError(.invalidParameter, "more rows than the \(info.size.height) of the image")
        }
        let premultiplies = info.alpha == .straight
        let count = try strips.append { (rows) throws(ImageError) in
            let count = try fill(&rows)
            if premultiplies, count > 0 {
                var filled = rows.extracting(0..<count)
                filled.premultiply()
            }
            return count
        }
        if count > 0 { try sendEarly(strips) }
        return count
    }

    var hasAllRows: Bool { strips?.isComplete ?? true }

    /// Ends a pass whose rows have all arrived, and begins the next.
    package func endPass() throws(ImageError) {
        try completePass()
        store.endPass(pass)
        pass += 1
        try begin()
    }

    /// Starts again with rows described by `info`, discarding the previous ones.
    func restart(_ info: BitmapInfo) throws(ImageError) {
        queue.wait()
        self.info = info
        pass += 1
        try begin()
    }

    /// Ends the last pass. The store is complete on return.
    package func finish() throws(ImageError) {
        try completePass()
        store.finish()
    }

    /// Ends the store with an error; tiles with at least one row are kept.
    package func finish(because error: ImageError) {
        if let strips, !strips.isComplete {
            // Transparent, or black in an opaque image.
            let blank: [UInt8] = info.format.isGray ? [0] : [0, 0, 0, store.alpha.hasAlpha ? 0 : 255]
            sendPairs()
            try? strips.finishPartially(blank: [blank])
            if let smaller { queue.perform { smaller.finishPartially(blank: [blank]) } }
        }
        queue.wait()
        store.fail(error)
        (strips, smaller) = (nil, nil)
    }

    /// Waits until all tiles whose rows have arrived are readable.
    package func waitForTiles() {
        sendPairs()
        queue.wait()
    }

    private func completePass() throws(ImageError) {
        guard let complete = strips, complete.isComplete else {
            throw ImageError(.invalidParameter, "\(strips?.rowCount ?? 0) rows instead of \(info.size.height)")
        }
        sendPairs()
        queue.wait()
        (strips, smaller) = (nil, nil)
        if let error = store.error { throw error }
    }
}

extension LevelStrip {
    fileprivate var isWhole: Bool { filledRowCount == rect.height }
}

extension RawTileStore {
    /// Writes some rows of some of a strip's tiles; an error ends the store.
    func write(_ tiles: Range<Int>, of strip: LevelStrip, rows: Range<Int>, pass: Int, isLast: Bool) {
        guard error == nil else { return }
        let pixels = TilePixels(order: order)
        let addresses = tiles.map { strip.tile($0).address }
        do throws(ImageError) {
            try write(addresses, rows: rows, pass: pass) { address, target in
                var rect = storedRect(address)
                rect.y += rows.lowerBound
                rect.height = rows.count
                strip.withRows(rect) { pixels.fill(target, with: $0) }
            }
            if isLast { makeReady(addresses, pass: pass, isPartial: !strip.isWhole) }
        } catch {
            fail(error)
        }
    }
}
