/// A number for each tile of a pyramid: level by level from the full one, each row by row.
struct TileNumbering: Sendable {
    /// The number of each level's first tile, and the number of tiles.
    private let starts: [Int]
    private let columnCounts: [Int]

    init(_ geometry: PyramidGeometry) {
        var starts = [0]
        for level in geometry.levels.indices {
            starts.append(starts[level] + geometry.columnCount(level) * geometry.rowCount(level))
        }
        self.starts = starts
        columnCounts = geometry.levels.indices.map { geometry.columnCount($0) }
    }

    /// How many tiles there are.
    var count: Int { starts[starts.count - 1] }

    /// The number of a tile that there is.
    subscript(_ address: TileAddress) -> Int {
        starts[address.level] + address.row * columnCounts[address.level] + address.column
    }

    /// The address of the tile with a number below `count`.
    subscript(_ number: Int) -> TileAddress {
        var level = 0
        while number >= starts[level + 1] { level += 1 }
        let (row, column) = (number - starts[level]).quotientAndRemainder(dividingBy: columnCounts[level])
        return TileAddress(level: level, column: column, row: row)
    }
}
