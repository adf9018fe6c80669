internal import JPEGBitstream

/// One picture in one instance of the module: its index and its tiles.
struct Session {
    /// Cuts tiles by an index whose pages are restored as they arrive, or which an indexer made.
    private struct Cutter {
        var index: JPEGTileIndex
        let assembler: JPEGTileAssembler
    }

    private var cutter: Cutter?
    private var indexer: JPEGTileIndexer?
    private var byteCount: UInt64 = 0

    // MARK: An index beside the picture

    mutating func open(
        header: RawSpan, segments: [UInt8], mcusPerColumn: Int, dataOffset: Int, rowCount: Int, byteCount: UInt64
    ) throws(WebError) -> [Int32] {
        do throws(JPEGTileObstacle) {
            let layout = try JPEGTileLayout(header: header, mcusPerColumn: mcusPerColumn, dataOffset: dataOffset)
            guard 0...layout.mcusDown ~= rowCount, layout.mcusPerColumn == mcusPerColumn else {
                throw JPEGTileObstacle.incompleteHeader
            }
            cutter = Cutter(
                index: JPEGTileIndex(restoring: layout, rowCount: rowCount),
                assembler: JPEGTileAssembler(layout, inserting: segments))
            self.byteCount = byteCount
            return Self.numbers(of: layout)
        } catch {
            throw WebError("invalidIndex", "the index's JPEG header is invalid: \(error.description)")
        }
    }

    mutating func restore(_ page: RawSpan, rows: Range<Int>) throws(WebError) {
        guard cutter != nil else { throw Self.closed }
        do throws(JPEGBitstreamError) {
            try cutter?.index.restore(page, rows: rows, byteCount: byteCount)
        } catch {
            throw WebError(error)
        }
    }

    /// The first byte and the byte after the last of each row of a window.
    func ranges(of window: JPEGTileWindow) throws(WebError) -> [Double] {
        guard let cutter else { throw Self.closed }
        guard cutter.index.layout.contains(window) else { throw Self.outside }
        var numbers: [Double] = []
        for row in window.rows {
            guard let range = cutter.index.byteRange(of: JPEGTileWindow(columns: window.columns, rows: row..<row + 1))
            else { throw WebError("windowNotIndexed", "row \(row) of MCUs isn't indexed") }
            numbers.append(Double(range.lowerBound))
            numbers.append(Double(range.upperBound))
        }
        return numbers
    }

    /// The JPEG of a window, from the bytes of its rows.
    func cut(_ window: JPEGTileWindow, from bytes: RawSpan, rowOffsets: [Int]) throws(WebError) -> [UInt8] {
        guard let cutter else { throw Self.closed }
        guard cutter.index.layout.contains(window) else { throw Self.outside }
        var tile: [UInt8] = []
        do throws(JPEGBitstreamError) {
            try cutter.assembler.append(window, of: cutter.index, from: bytes, rowOffsets: rowOffsets, to: &tile)
        } catch {
            throw WebError(error)
        }
        return tile
    }

    // MARK: A picture that arrives

    /// Begins indexing; nil if the bytes end before the picture's data.
    mutating func beginIndexing(_ header: RawSpan, columnWidth: Int) throws(WebError) -> [Int32]? {
        do throws(JPEGTileObstacle) {
            let layout = try JPEGTileLayout(header: header, columnWidth: columnWidth)
            indexer = JPEGTileIndexer(layout)
            return Self.numbers(of: layout)
        } catch .incompleteHeader {
            return nil
        } catch {
            throw WebError(error)
        }
    }

    /// Adds bytes of the data; returns the number of indexed rows.
    mutating func append(_ bytes: RawSpan) throws(WebError) -> Int {
        guard indexer != nil else { throw Self.closed }
        indexer?.append(bytes)
        return indexer?.index.rowCount ?? 0
    }

    /// Ends indexing: the index serves for cutting from now on. Damage after the first row only makes it shorter.
    mutating func finishIndexing(segments: [UInt8]) throws(WebError) -> Int {
        guard var indexer else { throw Self.closed }
        self.indexer = nil
        indexer.finish()
        let index = indexer.index
        self.indexer = indexer
        if index.rowCount == 0, let failure = index.failure { throw WebError(failure) }
        cutter = Cutter(index: index, assembler: JPEGTileAssembler(index.layout, inserting: segments))
        return index.rowCount
    }

    /// The header of the tiles, for an index file.
    func header() throws(WebError) -> [UInt8] {
        guard let layout = cutter?.index.layout else { throw Self.closed }
        return layout.header
    }

    func page(_ rows: Range<Int>) throws(WebError) -> [UInt8] {
        guard let index = cutter?.index else { throw Self.closed }
        guard rows.lowerBound >= 0, rows.upperBound <= index.rowCount else { throw Self.outside }
        return index.page(rows)
    }

    /// Rows of the eighth as RGBA, as many of the requested as there are; nil for unusual sampling.
    func eighth(_ rows: Range<Int>) throws(WebError) -> [UInt8]? {
        guard let indexer else { throw Self.closed }
        return indexer.eighth?.pixels(
            in: rows, mcuRowCount: indexer.index.rowCount, storesRGB: indexer.index.layout.storesRGB)
    }

    // MARK: Answers

    private static let closed = WebError("notOpen", "no picture is open")
    private static let outside = WebError("windowNotIndexed", "the window is outside the picture")

    private static func numbers(of layout: JPEGTileLayout) -> [Int32] {
        [
            layout.width, layout.height, layout.mcuWidth, layout.mcuHeight, layout.mcusAcross, layout.mcusDown,
            layout.mcusPerColumn, layout.columnCount, layout.dataOffset,
        ].map { Int32(clamping: $0) }
    }
}
