internal import JPEGBitstream

/// One picture in one instance of the module: its index and its tiles.
struct Session {
    /// Cuts tiles by an index whose pages are restored as they arrive, or which an indexer made.
    private struct Cutter {
        var index: JPEGTileIndex
        let assembler: JPEGTileAssembler
    }

    /// The same for a JPEG of several scans.
    private struct ScanCutter {
        var index: JPEGScanTileIndex
        let assembler: JPEGScanTileAssembler
    }

    private var cutter: Cutter?
    private var scanCutter: ScanCutter?
    private var indexer: JPEGTileIndexer?
    private var scanIndexer: JPEGScanTileIndexer?
    private var byteCount: UInt64 = 0

    /// The most memory for indexing a JPEG of several scans, in bytes.
    private static let largestIndexer = 512 << 20

    // MARK: An index beside the picture

    mutating func open(
        header: RawSpan, segments: [UInt8], mcusPerColumn: Int, dataOffset: Int, rowCount: Int, byteCount: UInt64,
        rowsPerPage: Int, columnsPerPage: Int
    ) throws(WebError) -> [Int32] {
        self.byteCount = byteCount
        do throws(JPEGTileObstacle) {
            guard columnsPerPage == 0 else {
                let layout = try JPEGScanTileLayout(
                    header: header, mcusPerColumn: mcusPerColumn, dataOffset: dataOffset)
                guard rowCount == layout.tile.mcusDown, layout.tile.mcusPerColumn == mcusPerColumn, rowsPerPage > 0
                else {
                    throw JPEGTileObstacle.incompleteHeader
                }
                scanCutter = ScanCutter(
                    index: JPEGScanTileIndex(
                        restoring: layout, rowsPerPage: rowsPerPage, columnsPerPage: columnsPerPage),
                    assembler: JPEGScanTileAssembler(layout, inserting: segments))
                return Self.numbers(of: layout.tile, columnsPerPage: columnsPerPage)
            }
            let layout = try JPEGTileLayout(header: header, mcusPerColumn: mcusPerColumn, dataOffset: dataOffset)
            guard 0...layout.mcusDown ~= rowCount, layout.mcusPerColumn == mcusPerColumn else {
                throw JPEGTileObstacle.incompleteHeader
            }
            cutter = Cutter(
                index: JPEGTileIndex(restoring: layout, rowCount: rowCount),
                assembler: JPEGTileAssembler(layout, inserting: segments))
            return Self.numbers(of: layout, columnsPerPage: 0)
        } catch {
            throw WebError("invalidIndex", "the index's JPEG header is invalid: \(error.description)")
        }
    }

    /// Restores a page; in a JPEG of one scan it has all columns.
    mutating func restore(_ page: RawSpan, rows: Range<Int>, firstColumn: Int) throws(WebError) {
        guard cutter != nil || scanCutter != nil else { throw Self.closed }
        do throws(JPEGBitstreamError) {
            try cutter?.index.restore(page, rows: rows, byteCount: byteCount)
            try scanCutter?.index.restore(page, row: rows.lowerBound, column: firstColumn, byteCount: byteCount)
        } catch {
            throw WebError(error)
        }
    }

    /// The first byte and the byte after the last of each part of the file that a window needs: a row of MCUs, or a line of a scan.
    func ranges(of window: JPEGTileWindow) throws(WebError) -> [Double] {
        var numbers: [Double] = []
        func add(_ range: Range<Int>) {
            numbers.append(Double(range.lowerBound))
            numbers.append(Double(range.upperBound))
        }
        if let scanCutter {
            do throws(JPEGBitstreamError) {
                for range in try scanCutter.assembler.byteRanges(of: window, in: scanCutter.index) {
                    add(range.clamped(to: 0..<Int(clamping: byteCount)))
                }
            } catch {
                throw WebError(error)
            }
            return numbers
        }
        guard let cutter else { throw Self.closed }
        guard cutter.index.layout.contains(window) else { throw Self.outside }
        for row in window.rows {
            guard let range = cutter.index.byteRange(of: JPEGTileWindow(columns: window.columns, rows: row..<row + 1))
            else { throw WebError("windowNotIndexed", "row \(row) of MCUs isn't indexed") }
            add(range)
        }
        return numbers
    }

    /// The JPEG of a window, from the bytes of its ranges.
    /// - Parameter offsets: For each of them, its offset in the file less that in `bytes`.
    func cut(_ window: JPEGTileWindow, from bytes: RawSpan, offsets: [Int]) throws(WebError) -> [UInt8] {
        var tile: [UInt8] = []
        do throws(JPEGBitstreamError) {
            if let scanCutter {
                try scanCutter.assembler.append(window, of: scanCutter.index, from: bytes, offsets: offsets, to: &tile)
                return tile
            }
            guard let cutter else { throw JPEGBitstreamError(.windowNotIndexed, Self.closed.message, offset: 0) }
            try cutter.assembler.append(window, of: cutter.index, from: bytes, rowOffsets: offsets, to: &tile)
        } catch {
            throw WebError(error)
        }
        return tile
    }

    // MARK: A picture that arrives

    /// Begins indexing; nil if the bytes end before the picture's data.
    mutating func beginIndexing(_ header: RawSpan, columnWidth: Int) throws(WebError) -> [Int32]? {
        do throws(JPEGTileObstacle) {
            let layout: JPEGTileLayout
            do throws(JPEGTileObstacle) {
                layout = try JPEGTileLayout(header: header, columnWidth: columnWidth)
            } catch {
                guard error.isOfScans else { throw error }
                let scans = try JPEGScanTileIndexer(
                    header: header, columnWidth: columnWidth, maximumByteCount: Self.largestIndexer)
                scanIndexer = scans
                return Self.numbers(of: scans.layout.tile, columnsPerPage: JPEGScanTileIndex.usualColumnsPerPage)
            }
            indexer = JPEGTileIndexer(layout)
            return Self.numbers(of: layout, columnsPerPage: 0)
        } catch .incompleteHeader {
            return nil
        } catch {
            throw WebError(error)
        }
    }

    /// Adds bytes of the data; returns the number of rows of MCUs that can be shown.
    mutating func append(_ bytes: RawSpan) throws(WebError) -> Int {
        if scanIndexer != nil {
            scanIndexer?.append(bytes)
            return scanIndexer?.eighthRowCount ?? 0
        }
        guard indexer != nil else { throw Self.closed }
        indexer?.append(bytes)
        return indexer?.index.rowCount ?? 0
    }

    /// Ends indexing. The index of one scan serves for cutting from now on, and damage after the first row only makes it shorter.
    mutating func finishIndexing(segments: [UInt8]) throws(WebError) -> Int {
        if scanIndexer != nil {
            scanIndexer?.finish()
            if let failure = scanIndexer?.failure { throw WebError(failure) }
            return scanIndexer?.layout.tile.mcusDown ?? 0
        }
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
        if let scanIndexer { return scanIndexer.layout.header }
        guard let layout = cutter?.index.layout else { throw Self.closed }
        return layout.header
    }

    /// A page; in a JPEG of one scan it has all columns.
    func page(_ rows: Range<Int>, columns: Range<Int>) throws(WebError) -> [UInt8] {
        if let scanIndexer {
            let tile = scanIndexer.layout.tile
            guard scanIndexer.isComplete, rows.upperBound <= tile.mcusDown, columns.upperBound <= tile.columnCount
            else {
                throw Self.outside
            }
            return scanIndexer.page(rows: rows, columns: columns)
        }
        guard let index = cutter?.index else { throw Self.closed }
        guard rows.lowerBound >= 0, rows.upperBound <= index.rowCount else { throw Self.outside }
        return index.page(rows)
    }

    /// Rows of the eighth as RGBA, as many of the requested as there are; nil for unusual sampling.
    func eighth(_ rows: Range<Int>) throws(WebError) -> [UInt8]? {
        if let scanIndexer { return scanIndexer.pixels(in: rows) }
        guard let indexer else { throw Self.closed }
        return indexer.eighth?.pixels(
            in: rows, mcuRowCount: indexer.index.rowCount, storesRGB: indexer.index.layout.storesRGB)
    }

    // MARK: Answers

    private static let closed = WebError("notOpen", "no picture is open")
    private static let outside = WebError("windowNotIndexed", "the window is outside the picture")

    private static func numbers(of layout: JPEGTileLayout, columnsPerPage: Int) -> [Int32] {
        [
            layout.width, layout.height, layout.mcuWidth, layout.mcuHeight, layout.mcusAcross, layout.mcusDown,
            layout.mcusPerColumn, layout.columnCount, layout.dataOffset, columnsPerPage,
        ].map { Int32(clamping: $0) }
    }
}
