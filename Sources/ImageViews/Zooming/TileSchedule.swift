public import ImagePyramid
internal import Raster

/// Which tiles of an image a view needs: now, soon, and no longer.
///
/// What is needed now is the last level, a stand-in for everything, and the visible tiles of the level that has a pixel for
/// each device pixel, from the middle outwards. All that is needed or kept fits into the budget; where not even the visible
/// tiles would, they are of a coarser level, and where that is the last one, the ones in the middle alone.
public struct TileSchedule: Hashable, Sendable {
    /// The level whose tiles are shown.
    public let level: Int
    /// The tiles of `level` that the view shows something of.
    public let visible: TileRange
    /// Tiles to be loaded at once, the most urgent first; those that are there are among them.
    public let now: [TileAddress]
    /// Tiles to be loaded when there is nothing else to do, the most likely first: those around, and of the next levels.
    public let soon: [TileAddress]
    /// Tiles that are there and should go, for the budget.
    public let noLonger: Set<TileAddress>

    /// The tiles for an image in a view.
    /// - Parameters:
    ///   - zoom: The image in the view.
    ///   - geometry: The image's levels and tiles.
    ///   - tileBudget: Bytes that tiles may take, 4 for each pixel.
    ///   - held: Tiles that are there.
    public init(_ zoom: ZoomModel, geometry: PyramidGeometry, tileBudget: Int, held: Set<TileAddress> = []) {
        let last = geometry.levels.count - 1
        let density = zoom.zoom * zoom.scaleFactor
        // Edges are drawn at whole device pixels: what begins beside the view may reach into it.
        let coverage = TileCoverage(geometry, zoom.visibleRect.grown(by: 1 / density, within: geometry.size))
        var level = 0
        while level < last, density * Double(1 << (level + 1)) <= 1.000_001 { level += 1 }
        let backdrop = coverage.backdrop
        let backdropCost = backdrop.map(geometry.byteCount) ?? 0
        while level < last, backdropCost + coverage.byteCount(at: level) > tileBudget { level += 1 }

        var allowance = TileAllowance(geometry, byteCount: tileBudget)
        if let backdrop { allowance.take(backdrop) }
        let most = max(1, tileBudget / (geometry.tileSize * geometry.tileSize * 4) + 1)
        let visible = coverage.tiles(at: level)
        for tile in coverage.outwards(coverage.trimmed(visible, to: most)) where !allowance.take(tile) { break }
        now = allowance.taken
        self.level = level
        self.visible = visible

        // What stands in for tiles that aren't there is worth more than what may be wanted later.
        if !allowance.contained.isSubset(of: held) {
            let standIns = held.filter { coverage.tiles(at: $0.level).contains($0) && $0.level != level }
            for tile in coverage.byUse(standIns, at: level) { allowance.take(tile) }
        }
        allowance.taken = []
        var likely = coverage.outwards(coverage.trimmed(coverage.grown(visible), to: 4 * most))
        if level < last { likely += coverage.outwards(coverage.trimmed(coverage.tiles(at: level + 1), to: most)) }
        // A little larger, and the next level is wanted.
        if level > 0, density * Double(1 << level) > 0.84 {
            likely += coverage.outwards(coverage.trimmed(coverage.tiles(at: level - 1), to: most))
        }
        for tile in likely where !allowance.contained.contains(tile) && !allowance.take(tile) { break }
        soon = allowance.taken
        for tile in coverage.byUse(held, at: level) { allowance.take(tile) }
        noLonger = held.subtracting(allowance.contained)
    }
}

extension PixelRegion {
    /// The region and what is around it within an image; nothing of nothing.
    func grown(by distance: Double, within size: PixelSize) -> PixelRegion {
        guard width > 0, height > 0 else { return self }
        let (left, top) = (max(0, x - distance), max(0, y - distance))
        let (right, bottom) = (
            min(Double(size.width), x + width + distance), min(Double(size.height), y + height + distance)
        )
        return PixelRegion(x: left, y: top, width: right - left, height: bottom - top)
    }
}

extension PyramidGeometry {
    /// What a tile's pixels take at 4 bytes each.
    func byteCount(_ address: TileAddress) -> Int { rect(of: address).size.pixelCount * 4 }
}

/// Which tiles of each level a part of an image touches, and how far others are from it.
struct TileCoverage {
    private let geometry: PyramidGeometry
    /// In pixels of the full image.
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

/// Tiles picked as long as there is room for them.
struct TileAllowance {
    private let geometry: PyramidGeometry
    private var left: Int
    /// In the order in which they were picked.
    var taken: [TileAddress] = []
    /// All that were picked.
    private(set) var contained: Set<TileAddress> = []

    init(_ geometry: PyramidGeometry, byteCount: Int) {
        self.geometry = geometry
        left = byteCount
    }

    /// Picks a tile, unless it was picked before.
    /// - Returns: Whether there was room for it.
    @discardableResult
    mutating func take(_ tile: TileAddress) -> Bool {
        guard !contained.contains(tile) else { return true }
        let byteCount = geometry.byteCount(tile)
        guard byteCount <= left else { return false }
        left -= byteCount
        contained.insert(tile)
        taken.append(tile)
        return true
    }
}
