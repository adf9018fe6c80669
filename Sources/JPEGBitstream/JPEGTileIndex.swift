/// The positions in a JPEG at which each row and column of MCUs begins, so that a part can be read without the data before it.
///
/// A ``JPEGTileIndexer`` makes it in one pass over the data, and ``init(serialized:)`` restores it. It takes 16 bytes for each column
/// of each row of MCUs.
public struct JPEGTileIndex: Sendable {
    /// The position of an MCU, and the predictions for its DC differences.
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

    /// The JPEG's layout in MCUs, and the indexed columns.
    public let layout: JPEGTileLayout

    /// The number of indexed rows of MCUs, from the top.
    public internal(set) var rowCount = 0

    /// Why the index ends before the last row: the end of the data, or damage, with its offset in the file.
    public internal(set) var failure: JPEGBitstreamError?

    /// For each row of MCUs its columns, and after them the row's end.
    package internal(set) var entries: [Entry] = []

    /// Whether it was restored: its entries are then checked against the data of every tile.
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

    /// Whether it equals another index of the same layout.
    package func hasEntries(of other: JPEGTileIndex) -> Bool {
        layout == other.layout && rowCount == other.rowCount && entries == other.entries
    }

    /// Records why the index ended, at a byte of the file.
    mutating func fail(isTruncated: Bool, at offset: Int) {
        let place = "in row \(rowCount) of \(layout.mcusDown) rows of MCUs"
        failure =
            isTruncated
            ? JPEGBitstreamError(.truncated, "the scan's data ends \(place)", offset: offset)
            : JPEGBitstreamError(.invalidEntropyData, "the scan's data is damaged \(place)", offset: offset)
    }
}

extension JPEGTileIndex {
    /// The index of a whole file, and its damage, if any, in ``failure``.
    ///
    /// Takes time proportional to the bytes.
    /// - Throws: ``JPEGTileObstacle``: why parts of this JPEG can't be read without decoding it.
    public init(of file: RawSpan, columnWidth: Int = 256) throws(JPEGTileObstacle) {
        let layout = try JPEGTileLayout(header: file, columnWidth: columnWidth)
        var indexer = JPEGTileIndexer(layout, makesEighth: false)
        indexer.append(file.extracting(droppingFirst: layout.dataOffset))
        indexer.finish()
        self = indexer.index
    }
}

/// Identifies a version of a file, for a serialized ``JPEGTileIndex``.
public struct JPEGTileSource: Hashable, Sendable {
    /// The file's length in bytes, at least 0.
    public let byteCount: Int
    /// The file's time of modification in nanoseconds since any fixed time; 0 if unknown.
    public let modification: Int64
    /// A hash chosen by the caller; may be empty. Only the first 255 bytes count.
    public let hash: [UInt8]

    /// The version of a file with the given length, time of modification and hash.
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
    /// Nil if they are outside the image, or don't begin and end at tile boundaries.
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

    /// Whether a window is within the image and not empty.
    public func contains(_ window: JPEGTileWindow) -> Bool {
        !window.columns.isEmpty && !window.rows.isEmpty && window.columns.lowerBound >= 0 && window.rows.lowerBound >= 0
            && window.columns.upperBound <= columnCount && window.rows.upperBound <= mcusDown
    }

    /// The columns of pixels in a window within the image.
    public func x(of window: JPEGTileWindow) -> Range<Int> {
        window.columns.lowerBound * columnWidth..<min(window.columns.upperBound * columnWidth, width)
    }

    /// The rows of pixels in a window within the image.
    public func y(of window: JPEGTileWindow) -> Range<Int> {
        window.rows.lowerBound * mcuHeight..<min(window.rows.upperBound * mcuHeight, height)
    }

    /// The MCUs of each row in a window within the image.
    func mcus(of window: JPEGTileWindow) -> Range<Int> {
        window.columns.lowerBound * mcusPerColumn..<min(window.columns.upperBound * mcusPerColumn, mcusAcross)
    }
}

extension JPEGTileIndex {
    /// The bytes of the file that contain a window; nil if it isn't indexed.
    ///
    /// They include whole rows of MCUs between the window's first and last byte, which in a wide image are more than the window's.
    public func byteRange(of window: JPEGTileWindow) -> Range<Int>? {
        guard layout.contains(window), window.rows.upperBound <= rowCount else { return nil }
        let first = entry(row: window.rows.lowerBound, column: window.columns.lowerBound).position
        let last = entry(row: window.rows.upperBound - 1, column: window.columns.upperBound).position
        // A restored index may hold any numbers.
        guard first <= last, last <= .max - 7, last >> 3 < UInt64(Int.max) - 8 else { return nil }
        return Int(first >> 3)..<Int((last + 7) >> 3)
    }
}
