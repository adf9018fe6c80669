package import Raster

/// The position of a tile in a pyramid: its level, column and row, each counted from 0.
///
/// Level 0 is the full image, and each further level half as large. Layouts that count from the smallest level reverse
/// the number.
public struct TileAddress: Hashable, Sendable {
    /// The number of times the image is halved.
    public var level: Int
    /// The column, counted from the left.
    public var column: Int
    /// The row, counted from the top.
    public var row: Int

    /// Creates the address of the tile of `level` at (`column`, `row`).
    public init(level: Int, column: Int, row: Int) {
        self.level = level
        self.column = column
        self.row = row
    }
}

extension TileAddress: CustomStringConvertible {
    /// The address as text: `2/5,7` is column 5 and row 7 of level 2.
    public var description: String { "\(level)/\(column),\(row)" }
}

/// A rectangle of tiles in one level.
public struct TileRange: Hashable, Sendable {
    /// The number of times the image is halved.
    public var level: Int
    /// The columns, counted from the left.
    public var columns: Range<Int>
    /// The rows, counted from the top.
    public var rows: Range<Int>

    /// Creates the range of tiles of `level` in `columns` and `rows`.
    public init(level: Int, columns: Range<Int>, rows: Range<Int>) {
        self.level = level
        self.columns = columns
        self.rows = rows
    }

    /// Creates the range of tiles of `level`, `tileSize` pixels a side, that `rect` touches. `rect` must not be empty.
    package init(touching rect: PixelRect, level: Int, tileSize: Int) {
        self.level = level
        columns = rect.x / tileSize..<(rect.x + rect.width - 1) / tileSize + 1
        rows = rect.y / tileSize..<(rect.y + rect.height - 1) / tileSize + 1
    }

    /// Returns whether the range includes the tile.
    public func contains(_ address: TileAddress) -> Bool {
        address.level == level && columns.contains(address.column) && rows.contains(address.row)
    }

    /// The addresses of the tiles, row by row.
    public var addresses: [TileAddress] {
        rows.flatMap { row in columns.map { TileAddress(level: level, column: $0, row: row) } }
    }
}
