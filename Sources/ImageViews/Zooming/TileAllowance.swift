internal import ImagePyramid

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
