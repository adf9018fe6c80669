import JPEGBitstream

extension FuzzTarget {
    /// Indexing a JPEG's data, whole and in pieces, which must find the same; storing the index, and cutting tiles, each of which
    /// must be a JPEG that can be indexed itself. The input is taken for a stored index too.
    static let jpegTiles = FuzzTarget(
        name: "jpeg-tiles", seedExtensions: ["jpg", "jpeg"], seeds: { [Fixtures.jpeg] }
    ) { input in
        let bytes = input.span.bytes
        let source = JPEGTileSource(byteCount: input.count)
        if let stored = try? JPEGTileIndex(serialized: bytes, for: source) { cut(stored, input, isSound: false) }
        guard let index = try? JPEGTileIndex(of: bytes, columnWidth: 32) else { return }
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
