/// Where in a JPEG each row and column of MCUs begins, so that a part can be had without what comes before it.
///
/// A ``JPEGTileIndexer`` makes it in one pass over the data, and ``init(serialized:)`` brings it back. It takes 16 bytes for each column
/// of each row of MCUs.
public struct JPEGTileIndex: Sendable {
    /// Where an MCU begins, and what its DC differences are added to.
    package struct Entry: Hashable, Sendable {
        /// The first bit, from the file's first: eight times the byte, and the bit within it from the top.
        package let position: UInt64
        let predictions: (Int16, Int16, Int16)

        package static func == (left: Entry, right: Entry) -> Bool {
            left.position == right.position && left.predictions == right.predictions
        }

        package func hash(into hasher: inout Hasher) { hasher.combine(position) }

        /// The prediction of a component.
        package func prediction(_ component: Int) -> Int {
            Int(component == 0 ? predictions.0 : component == 1 ? predictions.1 : predictions.2)
        }
    }

    /// How the JPEG's MCUs lie, and which columns are indexed.
    public let layout: JPEGTileLayout

    /// The rows of MCUs that are indexed, from the top.
    public internal(set) var rowCount = 0

    /// What ended the index before the last row: the data's end, or damage, with its offset in the file.
    public internal(set) var failure: JPEGBitstreamError?

    /// For each row of MCUs its columns, and behind them where the row ends.
    package internal(set) var entries: [Entry] = []

    /// Whether it was stored meanwhile: what it says of the data is then held against the data wherever a tile is cut.
    public internal(set) var isStored = false

    /// The columns, and the row's end.
    let entriesPerRow: Int

    init(_ layout: JPEGTileLayout) {
        self.layout = layout
        entriesPerRow = layout.columnCount + 1
    }

    /// Whether all rows are indexed.
    public var isComplete: Bool { rowCount == layout.mcusDown }

    /// The entry of a column, or for the number of columns the row's end; the row must be indexed.
    package func entry(row: Int, column: Int) -> Entry { entries[row * entriesPerRow + column] }

    /// Whether it says the same as another of the same layout.
    package func hasEntries(of other: JPEGTileIndex) -> Bool {
        layout == other.layout && rowCount == other.rowCount && entries == other.entries
    }

    /// Says what ended the index, at a byte of the file.
    mutating func fail(isTruncated: Bool, at offset: Int) {
        let place = "in row \(rowCount) of \(layout.mcusDown) rows of MCUs"
        failure =
            isTruncated
            ? JPEGBitstreamError(.truncated, "the scan's data ends \(place)", offset: offset)
            : JPEGBitstreamError(.invalidEntropyData, "the scan's data is damaged \(place)", offset: offset)
    }
}

extension JPEGTileIndex {
    /// The index of a whole file, and its damage, if there is any, in ``failure``.
    ///
    /// Takes time proportional to the bytes.
    /// - Throws: What keeps the JPEG's data from being entered anywhere.
    public init(of file: RawSpan, columnWidth: Int = 256) throws(JPEGTileObstacle) {
        let layout = try JPEGTileLayout(header: file, columnWidth: columnWidth)
        var indexer = JPEGTileIndexer(layout, makesEighth: false)
        indexer.append(file.extracting(droppingFirst: layout.dataOffset))
        indexer.finish()
        self = indexer.index
    }
}
