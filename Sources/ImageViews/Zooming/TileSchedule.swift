public import ImagePyramid
internal import Raster

/// Which tiles of a picture a view needs: now, soon, and no longer.
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

    /// The tiles for a picture in a view.
    /// - Parameters:
    ///   - zoom: The picture in the view.
    ///   - geometry: The picture's levels and tiles.
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
    /// The region and what is around it within a picture; nothing of nothing.
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
