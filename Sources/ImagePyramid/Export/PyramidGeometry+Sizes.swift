internal import Raster

extension PyramidGeometry {
    /// The division of a picture whose levels have `sizes`, as somebody else made them: a half may be rounded down.
    init(sizes: [PixelSize], tileSize: Int) {
        precondition(!sizes.isEmpty && sizes.allSatisfy { !$0.isEmpty } && tileSize > 0)
        size = sizes[0]
        self.tileSize = tileSize
        overlap = 0
        levels = sizes
    }
}
