internal import ImagePyramid
internal import Raster

/// Which tiles of each level a part of a picture touches, and how far others are from it.
struct TileCoverage {
    private let geometry: PyramidGeometry
    /// In pixels of the full picture.
    private let rect: PixelRegion

    init(_ geometry: PyramidGeometry, _ rect: PixelRegion) {
        self.geometry = geometry
        self.rect = rect
    }

    /// The one tile of the last level, where that is one.
    var backdrop: TileAddress? {
        let last = geometry.levels.count - 1
        guard geometry.columnCount(last) == 1, geometry.rowCount(last) == 1 else { return nil }
        return TileAddress(level: last, column: 0, row: 0)
    }

    /// The tiles of a level that the part touches.
    func tiles(at level: Int) -> TileRange {
        let step = Double(geometry.tileSize) * Double(1 << level)
        func range(_ start: Double, _ length: Double, _ count: Int) -> Range<Int> {
            guard length > 0 else { return 0..<0 }
            let first = min(count - 1, max(0, Int(start / step)))
            return first..<min(count, max(first + 1, Int(((start + length) / step).rounded(.up))))
        }
        let columns = range(rect.x, rect.width, geometry.columnCount(level))
        let rows = range(rect.y, rect.height, geometry.rowCount(level))
        return TileRange(level: level, columns: rows.isEmpty ? 0..<0 : columns, rows: columns.isEmpty ? 0..<0 : rows)
    }

    /// What the tiles of a level that the part touches take, or a little more.
    func byteCount(at level: Int) -> Int {
        let (tiles, size, side) = (tiles(at: level), geometry.levels[level], geometry.tileSize)
        func length(_ range: Range<Int>, _ length: Int) -> Int {
            min(range.upperBound * side, length) - range.lowerBound * side + 2 * geometry.overlap * range.count
        }
        guard !tiles.columns.isEmpty else { return 0 }
        let (width, height) = (length(tiles.columns, size.width), length(tiles.rows, size.height))
        return PixelSize(width: width, height: height).pixelCount.multipliedReportingOverflow(by: 4).overflow
            ? .max / 2 : width * height * 4
    }

    /// Some tiles and those around them.
    func grown(_ tiles: TileRange) -> TileRange {
        guard !tiles.columns.isEmpty else { return tiles }
        func grown(_ range: Range<Int>, _ count: Int) -> Range<Int> {
            max(0, range.lowerBound - 1)..<min(count, range.upperBound + 1)
        }
        return TileRange(
            level: tiles.level, columns: grown(tiles.columns, geometry.columnCount(tiles.level)),
            rows: grown(tiles.rows, geometry.rowCount(tiles.level)))
    }

    /// The ones in the middle, where there are more than `count`.
    func trimmed(_ tiles: TileRange, to count: Int) -> TileRange {
        var tiles = tiles
        func half(_ range: Range<Int>) -> Range<Int> {
            let rest = range.count / 4
            return range.lowerBound + rest..<range.upperBound - rest - (range.count < 4 ? 1 : 0)
        }
        while tiles.columns.count > 1 || tiles.rows.count > 1,
            tiles.columns.count > count || tiles.columns.count * tiles.rows.count > 4 * count
        {
            if tiles.columns.count >= tiles.rows.count {
                tiles.columns = half(tiles.columns)
            } else {
                tiles.rows = half(tiles.rows)
            }
        }
        return tiles
    }

    /// Tiles of one level, from the part's middle outwards.
    func outwards(_ tiles: TileRange) -> [TileAddress] {
        sorted(tiles.addresses.map { (0, distance($0), $0) })
    }

    /// Tiles of any level by how soon they may be of use at a level: those nearest to it, those nearest to the middle.
    func byUse(_ tiles: Set<TileAddress>, at level: Int) -> [TileAddress] {
        sorted(tiles.map { (abs($0.level - level), distance($0), $0) })
    }

    private func sorted(_ tiles: [(Int, Double, TileAddress)]) -> [TileAddress] {
        tiles.sorted { a, b in
            // The same in every run, also where tiles are equally far.
            (a.0, a.1, a.2.row, a.2.column) < (b.0, b.1, b.2.row, b.2.column)
        }.map(\.2)
    }

    /// How far a tile's middle is from the part's, in tiles, squared.
    private func distance(_ tile: TileAddress) -> Double {
        let step = Double(geometry.tileSize) * Double(1 << tile.level)
        let x = Double(tile.column) + 0.5 - (rect.x + rect.width / 2) / step
        let y = Double(tile.row) + 0.5 - (rect.y + rect.height / 2) / step
        return x * x + y * y
    }
}
