package import Raster

/// Which tile of a pyramid: its level, column and row, the first of each being 0.
///
/// Level 0 is the picture in full, each further one half as large. Layouts that count from the smallest level turn the
/// number around.
public struct TileAddress: Hashable, Sendable {
    /// How often the picture is halved.
    public var level: Int
    /// Counted from the left.
    public var column: Int
    /// Counted from the top.
    public var row: Int

    /// The tile of `level` at (`column`, `row`).
    public init(level: Int, column: Int, row: Int) {
        self.level = level
        self.column = column
        self.row = row
    }
}

extension TileAddress: CustomStringConvertible {
    /// The address as people write it: `2/5,7` is column 5 and row 7 of level 2.
    public var description: String { "\(level)/\(column),\(row)" }
}

/// Some tiles of one level: a rectangle of them.
public struct TileRange: Hashable, Sendable {
    /// How often the picture is halved.
    public var level: Int
    /// Counted from the left.
    public var columns: Range<Int>
    /// Counted from the top.
    public var rows: Range<Int>

    /// The tiles of `level` in `columns` and `rows`.
    public init(level: Int, columns: Range<Int>, rows: Range<Int>) {
        self.level = level
        self.columns = columns
        self.rows = rows
    }

    /// The tiles of `level`, `tileSize` pixels a side, that `rect` touches.
    package init(touching rect: PixelRect, level: Int, tileSize: Int) {
        self.level = level
        columns = rect.x / tileSize..<(rect.x + rect.width - 1) / tileSize + 1
        rows = rect.y / tileSize..<(rect.y + rect.height - 1) / tileSize + 1
    }

    /// Whether the tile is one of them.
    public func contains(_ address: TileAddress) -> Bool {
        address.level == level && columns.contains(address.column) && rows.contains(address.row)
    }

    /// Each of them, row by row.
    public var addresses: [TileAddress] {
        rows.flatMap { row in columns.map { TileAddress(level: level, column: $0, row: row) } }
    }
}
