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

    /// Whether the tile is one of them.
    public func contains(_ address: TileAddress) -> Bool {
        address.level == level && columns.contains(address.column) && rows.contains(address.row)
    }

    /// Each of them, row by row.
    public var addresses: [TileAddress] {
        rows.flatMap { row in columns.map { TileAddress(level: level, column: $0, row: row) } }
    }
}
