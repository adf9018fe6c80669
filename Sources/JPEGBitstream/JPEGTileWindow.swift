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
