package import ImagePyramid
package import Raster

extension PyramidGeometry {
    /// The division of a picture of `size` into what is asked for.
    /// - Throws: 404 for a picture without pixels.
    static func of(
        _ size: PixelSize, tileSize: Int = 256, overlap: Int = 0, depth: Depth = .oneTile
    ) throws(RequestFailure) -> PyramidGeometry {
        do {
            return try PyramidGeometry(size: size, tileSize: tileSize, overlap: overlap, depth: depth)
        } catch {
            throw .noSuchPicture
        }
    }

    /// The tile that is `region` of the full picture at `size`; nil where that isn't exactly one of its tiles.
    package func address(of region: PixelRect, size: PixelSize) -> TileAddress? {
        guard overlap == 0, region.lies(within: self.size) else { return nil }
        for level in levels.indices {
            let side = tileSize << level
            guard region.x % side == 0, region.y % side == 0,
                region.width == min(side, self.size.width - region.x),
                region.height == min(side, self.size.height - region.y)
            else { continue }
            let address = TileAddress(level: level, column: region.x / side, row: region.y / side)
            if contains(address), rect(of: address).size == size { return address }
        }
        return nil
    }

    /// What a tile covers of the full picture.
    func region(of address: TileAddress) -> PixelRect {
        let rect = rect(of: address)
        let (x, y) = (rect.x << address.level, rect.y << address.level)
        return PixelRect(
            x: x, y: y, width: min(rect.width << address.level, size.width - x),
            height: min(rect.height << address.level, size.height - y))
    }
}
