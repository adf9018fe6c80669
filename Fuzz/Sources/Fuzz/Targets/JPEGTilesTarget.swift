import JPEGBitstream

extension FuzzTarget {
    /// Indexing a JPEG's data, whole and in pieces, which must find the same; storing the index, and cutting tiles, each of which
    /// must be a JPEG that can be indexed itself. The input is taken for a stored index too. A progressive JPEG's tiles are
    /// those of its scans' index, of which the input is taken for a page.
    static let jpegTiles = FuzzTarget(
        name: "jpeg-tiles", seedExtensions: ["jpg", "jpeg"], seeds: { [Fixtures.jpeg] }
    ) { input in
        let bytes = input.span.bytes
        let source = JPEGTileSource(byteCount: input.count)
        if let stored = try? JPEGTileIndex(serialized: bytes, for: source) { cut(stored, input, isSound: false) }
        guard let index = try? JPEGTileIndex(of: bytes, columnWidth: 32) else { return scans(input) }
        var indexer = JPEGTileIndexer(index.layout)
        let data = input.dropFirst(index.layout.dataOffset)
        var splits = Splits(Array(data))
        while let piece = splits.next() {
            indexer.append(
                bytes.extracting(
                    index.layout.dataOffset + piece.lowerBound..<index.layout.dataOffset + piece.upperBound))
        }
        indexer.finish()
        let stored = index.serialized(for: source)
        precondition(indexer.index.serialized(for: source) == stored)
        precondition((index.failure == nil) == index.isComplete)
        guard let restored = try? JPEGTileIndex(serialized: stored.span.bytes, for: source) else {
            preconditionFailure("an index that was stored is refused")
        }
        precondition(restored.serialized(for: source) == stored)
        cut(restored, input, isSound: true)
    }

    private static func scans(_ input: [UInt8]) {
        let bytes = input.span.bytes
        guard var whole = try? JPEGScanTileIndexer(header: bytes, columnWidth: 32, maximumByteCount: 16 << 20) else {
            return
        }
        var split = whole
        let start = whole.layout.tile.dataOffset
        whole.append(bytes.extracting(start..<input.count))
        whole.finish()
        var splits = Splits(Array(input.dropFirst(start)))
        while let piece = splits.next() {
            split.append(bytes.extracting(start + piece.lowerBound..<start + piece.upperBound))
        }
        split.finish()
        precondition(whole.isComplete == split.isComplete && (whole.failure == nil) == whole.isComplete)
        let tile = whole.layout.tile
        var restored = JPEGScanTileIndex(restoring: whole.layout, rowsPerPage: 4, columnsPerPage: 4)
        try? restored.restore(bytes, row: 0, column: 0, byteCount: UInt64(input.count))
        cut(restored, input, isSound: false)
        guard whole.isComplete else { return }
        for row in stride(from: 0, to: tile.mcusDown, by: 4) {
            for column in stride(from: 0, to: tile.columnCount, by: 4) {
                let rows = row..<min(row + 4, tile.mcusDown)
                let columns = column..<min(column + 4, tile.columnCount)
                let page = whole.page(rows: rows, columns: columns)
                precondition(page == split.page(rows: rows, columns: columns))
                // A page that was made isn't refused.
                let isTaken: Void? = try? restored.restore(
                    page.span.bytes, row: row, column: column, byteCount: UInt64(input.count))
                precondition(isTaken != nil)
            }
        }
        cut(restored, input, isSound: true)
    }

    private static func cut(_ index: JPEGScanTileIndex, _ input: [UInt8], isSound: Bool) {
        let assembler = JPEGScanTileAssembler(index.layout)
        let layout = index.layout.tile
        for row in stride(from: 0, to: min(layout.mcusDown, 64), by: 3) {
            for column in 0..<min(layout.columnCount, 16) {
                let window = JPEGTileWindow(
                    columns: column..<min(column + 2, layout.columnCount), rows: row..<min(row + 3, layout.mcusDown))
                var tile: [UInt8] = []
                guard let ranges = try? assembler.byteRanges(of: window, in: index) else {
                    precondition(!isSound)
                    continue
                }
                let isCut =
                    (try? assembler.append(
                        window, of: index, from: input.span.bytes, offsets: ranges.map { _ in 0 }, to: &tile)) != nil
                guard isSound else { continue }
                precondition(isCut && (try? JPEGTileIndex(of: tile.span.bytes))?.isComplete == true)
            }
        }
    }

    private static func cut(_ index: JPEGTileIndex, _ input: [UInt8], isSound: Bool) {
        let assembler = JPEGTileAssembler(index.layout)
        for row in stride(from: 0, to: min(index.rowCount, 64), by: 3) {
            for column in 0..<min(index.layout.columnCount, 16) {
                let window = JPEGTileWindow(
                    columns: column..<min(column + 2, index.layout.columnCount),
                    rows: row..<min(row + 3, index.rowCount))
                var tile: [UInt8] = []
                let isCut = (try? assembler.append(window, of: index, from: input.span.bytes, to: &tile)) != nil
                guard isSound else { continue }
                precondition(isCut && (try? JPEGTileIndex(of: tile.span.bytes))?.isComplete == true)
            }
        }
    }
}
