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

/// What tells a file from another, and from itself before a change, for a ``JPEGTileIndex`` that is stored beside it.
public struct JPEGTileSource: Hashable, Sendable {
    /// How many bytes the file has, at least 0.
    public let byteCount: Int
    /// When the file was last modified, in nanoseconds since whenever; 0 where it isn't known.
    public let modification: Int64
    /// A hash of whatever the caller takes for telling; may be empty. Only the first 255 bytes count.
    public let hash: [UInt8]

    /// A file of the given number of bytes, time of modification and hash.
    public init(byteCount: Int, modification: Int64 = 0, hash: [UInt8] = []) {
        self.byteCount = byteCount
        self.modification = modification
        self.hash = Array(hash.prefix(255))
    }
}

/// A part of a JPEG that can be cut out: whole columns of its ``JPEGTileIndex`` and whole rows of MCUs.
public struct JPEGTileWindow: Hashable, Sendable {
    /// Columns of the index, of ``JPEGTileLayout/columnWidth`` pixels; the last may be narrower.
    public var columns: Range<Int>
    /// Rows of MCUs, of ``JPEGTileLayout/mcuHeight`` pixels; the last may be lower.
    public var rows: Range<Int>

    /// The window of the given columns of the index and rows of MCUs.
    public init(columns: Range<Int>, rows: Range<Int>) {
        self.columns = columns
        self.rows = rows
    }
}

extension JPEGTileLayout {
    /// The window of the given columns and rows of pixels, which may reach beyond the right and the bottom edge.
    ///
    /// Nil where they are outside of the picture, or begin or end where a tile can't.
    public func window(x: Range<Int>, y: Range<Int>) -> JPEGTileWindow? {
        guard let columns = Self.steps(of: columnWidth, in: x, until: width),
            let rows = Self.steps(of: mcuHeight, in: y, until: height)
        else { return nil }
        return JPEGTileWindow(columns: columns, rows: rows)
    }

    private static func steps(of length: Int, in range: Range<Int>, until end: Int) -> Range<Int>? {
        guard !range.isEmpty, range.lowerBound >= 0, range.lowerBound < end, range.lowerBound % length == 0,
            range.upperBound >= end || range.upperBound % length == 0
        else { return nil }
        return range.lowerBound / length..<(min(range.upperBound, end) - 1) / length + 1
    }

    /// Whether a window isn't empty and lies inside of the picture.
    public func contains(_ window: JPEGTileWindow) -> Bool {
        !window.columns.isEmpty && !window.rows.isEmpty && window.columns.lowerBound >= 0 && window.rows.lowerBound >= 0
            && window.columns.upperBound <= columnCount && window.rows.upperBound <= mcusDown
    }

    /// The columns of pixels in a window that lies inside.
    public func x(of window: JPEGTileWindow) -> Range<Int> {
        window.columns.lowerBound * columnWidth..<min(window.columns.upperBound * columnWidth, width)
    }

    /// The rows of pixels in a window that lies inside.
    public func y(of window: JPEGTileWindow) -> Range<Int> {
        window.rows.lowerBound * mcuHeight..<min(window.rows.upperBound * mcuHeight, height)
    }

    /// The MCUs of a row in a window that lies inside.
    func mcus(of window: JPEGTileWindow) -> Range<Int> {
        window.columns.lowerBound * mcusPerColumn..<min(window.columns.upperBound * mcusPerColumn, mcusAcross)
    }
}

extension JPEGTileIndex {
    /// The bytes of the file that hold a window; nil where it isn't indexed.
    ///
    /// They are those of all rows of MCUs from the window's first on, so that of a wide picture they are more than the window's.
    public func byteRange(of window: JPEGTileWindow) -> Range<Int>? {
        guard layout.contains(window), window.rows.upperBound <= rowCount else { return nil }
        let first = entry(row: window.rows.lowerBound, column: window.columns.lowerBound).position
        let last = entry(row: window.rows.upperBound - 1, column: window.columns.upperBound).position
        // An index that was made elsewhere may say anything.
        guard first <= last, last < UInt64(Int.max) - 8 else { return nil }
        return Int(first >> 3)..<Int((last + 7) >> 3)
    }
}
