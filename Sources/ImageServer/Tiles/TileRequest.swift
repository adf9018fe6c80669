package import ImageFormats
package import ImagePyramid
package import Raster

/// A tile that is asked for by one of the layouts of the standard viewers.
package struct TileRequest: Hashable, Sendable {
    /// How often the picture is halved: 0 is the picture in full.
    package let level: Int
    /// The part of the picture, in pixels of the picture in full.
    package let rect: PixelRect
    /// The part's size at its level.
    package let size: PixelSize
    /// The size of the file, whose top left is the part, the rest being empty; larger than `size` only at edges, and
    /// only where the layout wants all tiles to be of one size.
    package let canvas: PixelSize
    /// What it is written as.
    package let format: ImageFormat

    /// The tile at `address`.
    /// - Throws: 404 where there is none.
    init(
        _ address: TileAddress, of geometry: PyramidGeometry, format: ImageFormat, fillsUp: Bool = false
    ) throws(RequestFailure) {
        guard geometry.contains(address) else { throw RequestFailure(404, "there is no such tile") }
        level = address.level
        rect = geometry.region(of: address)
        size = geometry.rect(of: address).size
        canvas = fillsUp ? PixelSize(width: geometry.tileSize, height: geometry.tileSize) : size
        self.format = format
    }

    /// The same tile of another division of the picture; nil where there is none that is the same.
    package func address(in geometry: PyramidGeometry) -> TileAddress? {
        canvas == size ? geometry.address(of: rect, size: size) : nil
    }

    /// The tile as a rendering, its canvas left out of account.
    package var rendering: PictureRendering { PictureRendering(region: rect, size: size, format: format) }
}
