public import ImagePyramid
internal import Raster

/// The tiles of an image that a view needs now, needs soon, and no longer needs.
///
/// Needed now are the last level's tile, if it has only one, as a stand-in for all others, and the visible tiles of the
/// level with a pixel for each device pixel, from the centre outwards. All tiles needed or kept fit into the budget. If
/// the visible tiles alone exceed it, they are of a coarser level, and if that is the last level, only those in the
/// centre.
public struct TileSchedule: Hashable, Sendable {
    /// The level whose tiles are shown.
    public let level: Int
    /// The tiles of `level` that are at least partly visible.
    public let visible: TileRange
    /// Tiles to load immediately, the most urgent first, including those already loaded.
    public let now: [TileAddress]
    /// Tiles to load when idle, the most likely first: those around the view, and of the next levels.
    public let soon: [TileAddress]
    /// Loaded tiles to remove for the budget.
    public let noLonger: Set<TileAddress>

    /// The tiles for an image in a view.
    /// - Parameters:
    ///   - zoom: The image's place in the view.
    ///   - geometry: The image's levels and tiles.
    ///   - tileBudget: The largest number of bytes of tiles, 4 for each pixel.
    ///   - held: The loaded tiles.
    public init(_ zoom: ZoomModel, geometry: PyramidGeometry, tileBudget: Int, held: Set<TileAddress> = []) {
        let last = geometry.levels.count - 1
        let density = zoom.zoom * zoom.scaleFactor
        // Edges are drawn at whole device pixels, so a tile that starts just outside the view may extend into it.
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

        // Stand-ins for missing tiles are worth more than tiles that may be needed later.
        if !allowance.contained.isSubset(of: held) {
            let standIns = held.filter { coverage.tiles(at: $0.level).contains($0) && $0.level != level }
            for tile in coverage.byUse(standIns, at: level) { allowance.take(tile) }
        }
        allowance.taken = []
        var likely = coverage.outwards(coverage.trimmed(coverage.grown(visible), to: 4 * most))
        if level < last { likely += coverage.outwards(coverage.trimmed(coverage.tiles(at: level + 1), to: most)) }
        // Zooming in slightly would need the next finer level.
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
    /// The region grown by `distance` on all sides within an image; an empty region stays empty.
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
    /// The bytes of a tile's pixels, 4 for each.
    func byteCount(_ address: TileAddress) -> Int { rect(of: address).size.pixelCount * 4 }
}

/// The tiles of each level that a part of an image touches, and the distances of others.
struct TileCoverage {
    private let geometry: PyramidGeometry
    /// In pixels of the full image.
    private let rect: PixelRegion

    init(_ geometry: PyramidGeometry, _ rect: PixelRegion) {
        self.geometry = geometry
        self.rect = rect
    }

    /// The tile of the last level, if it has just one.
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

    /// An upper bound, nearly exact, of the bytes of a level's tiles that the part touches.
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

    /// A range of tiles extended by one tile on each side.
    func grown(_ tiles: TileRange) -> TileRange {
        guard !tiles.columns.isEmpty else { return tiles }
        func grown(_ range: Range<Int>, _ count: Int) -> Range<Int> {
            max(0, range.lowerBound - 1)..<min(count, range.upperBound + 1)
        }
        return TileRange(
            level: tiles.level, columns: grown(tiles.columns, geometry.columnCount(tiles.level)),
            rows: grown(tiles.rows, geometry.rowCount(tiles.level)))
    }

    /// The central ones of `tiles`, if there are more than `count`.
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

    /// Tiles of one level, sorted from the part's centre outwards.
    func outwards(_ tiles: TileRange) -> [TileAddress] {
        sorted(tiles.addresses.map { (0, distance($0), $0) })
    }

    /// Tiles of any level, sorted by usefulness at a level: by distance in levels, then from the centre.
    func byUse(_ tiles: Set<TileAddress>, at level: Int) -> [TileAddress] {
        sorted(tiles.map { (abs($0.level - level), distance($0), $0) })
    }

    private func sorted(_ tiles: [(Int, Double, TileAddress)]) -> [TileAddress] {
        tiles.sorted { a, b in
            // Ties are broken by address, so that the order is deterministic.
            (a.0, a.1, a.2.row, a.2.column) < (b.0, b.1, b.2.row, b.2.column)
        }.map(\.2)
    }

    /// The squared distance between the centres of a tile and the part, in tiles.
    private func distance(_ tile: TileAddress) -> Double {
        let step = Double(geometry.tileSize) * Double(1 << tile.level)
        let x = Double(tile.column) + 0.5 - (rect.x + rect.width / 2) / step
        let y = Double(tile.row) + 0.5 - (rect.y + rect.height / 2) / step
        return x * x + y * y
    }
}

/// Picks tiles while their bytes fit a budget.
struct TileAllowance {
    private let geometry: PyramidGeometry
    private var left: Int
    /// In the order in which they were picked.
    var taken: [TileAddress] = []
    /// All tiles picked so far.
    private(set) var contained: Set<TileAddress> = []

    init(_ geometry: PyramidGeometry, byteCount: Int) {
        self.geometry = geometry
        left = byteCount
    }

    /// Picks a tile, unless it was picked before.
    /// - Returns: Whether it was picked now or before.
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
