internal import Raster

/// The samples of one plane that a tile shows, in the order of the upright tile.
struct PlanePart {
    /// The upright tile's first sample, and how far it is from one to the next, across and down. Good as long as the
    /// strip lives.
    let first: UnsafePointer<UInt8>
    let stepX: Int
    let stepY: Int
    /// How many there are across and down; one more than the tile has where its samples lie between these.
    let width: Int
    let height: Int
    /// Pixels that a sample stands for, across and down.
    let horizontal: Int
    let vertical: Int
    /// Whether the tile begins in the middle of a sample.
    let isBetweenColumns: Bool
    let isBetweenRows: Bool

    init(_ tile: LevelStrip.Tile, of strip: LevelStrip, plane index: Int) {
        let (plane, orientation) = (strip.planes[index], strip.plan.orientation)
        let kind = plane.kind
        (horizontal, vertical) =
            orientation.swapsSides ? (kind.vertical, kind.horizontal) : (kind.horizontal, kind.vertical)
        let (x, y) = (tile.upright.x / horizontal, tile.upright.y / vertical)
        width = (tile.upright.x + tile.upright.width + horizontal - 1) / horizontal - x
        height = (tile.upright.y + tile.upright.height + vertical - 1) / vertical - y
        isBetweenColumns = !tile.upright.x.isMultiple(of: horizontal)
        isBetweenRows = !tile.upright.y.isMultiple(of: vertical)
        let upright = orientation.applied(to: strip.plan.planeSize(strip.level, index))
        let inverse = orientation.inverse
        let start = inverse.applied(toX: x, y: y, in: upright)
        let right = inverse.applied(toX: x + 1, y: y, in: upright)
        let below = inverse.applied(toX: x, y: y + 1, in: upright)
        let stride = plane.stride
        // Within the strip: its rows are those of its tiles in each plane.
        first = (plane.base + (start.y - plane.firstRow) * stride + start.x).assumingMemoryBound(to: UInt8.self)
        stepX = (right.y - start.y) * stride + right.x - start.x
        stepY = (below.y - start.y) * stride + below.x - start.x
    }
}
