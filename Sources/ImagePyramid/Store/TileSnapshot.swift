public import Raster

/// A part of a picture put together from the tiles that are there.
public struct TileSnapshot: Sendable {
    /// The pixels, as stored, with the orientation to show them in. Transparent where nothing is there.
    public var image: Image
    /// Where nothing is there, in pixels of the upright picture.
    public var missing: [PixelRect]
}
