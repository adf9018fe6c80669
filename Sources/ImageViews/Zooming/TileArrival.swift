internal import ImagePyramid

/// Which tiles of a picture that is arriving are there, and how often each has come.
struct TileArrival {
    private let geometry: PyramidGeometry
    /// For each level, row after row; empty until one of the level has come.
    private var counts: [[UInt16]]

    init(_ geometry: PyramidGeometry) {
        self.geometry = geometry
        counts = geometry.levels.map { _ in [] }
    }

    /// How often a tile has come: 0 when it isn't there.
    func count(_ tile: TileAddress) -> Int {
        let level = counts[tile.level]
        return level.isEmpty ? 0 : Int(level[tile.row * geometry.columnCount(tile.level) + tile.column])
    }

    /// Some have come, or come again.
    mutating func add(_ tiles: TileRange) {
        guard geometry.levels.indices.contains(tiles.level) else { return }
        let columnCount = geometry.columnCount(tiles.level)
        let rows = tiles.rows.clamped(to: 0..<geometry.rowCount(tiles.level))
        let columns = tiles.columns.clamped(to: 0..<columnCount)
        if counts[tiles.level].isEmpty {
            counts[tiles.level] = [UInt16](repeating: 0, count: columnCount * geometry.rowCount(tiles.level))
        }
        for row in rows {
            for column in columns {
                let index = row * columnCount + column
                // Beyond that nobody sees the difference, but it has to be another.
                counts[tiles.level][index] = counts[tiles.level][index] == .max ? 1 : counts[tiles.level][index] + 1
            }
        }
    }
}
