public import ImagePyramid
public import Raster

/// A picture, or a piece of one, to be drawn in a view.
///
/// `clip` of all drawings of a list are apart from each other and end at device pixels: drawn one after the other, without
/// softening edges, they leave no seams.
public struct TileDrawing: Sendable, Identifiable {
    /// What tells the picture from every other, for as long as its pixels are the same: by it textures can be kept.
    public struct ID: Hashable, Sendable {
        /// Which tile it is; nil for a picture of the whole.
        public let tile: TileAddress?
        /// Another with each picture that takes the place of one.
        public let version: Int

        /// The tile's picture of this version.
        public init(tile: TileAddress?, version: Int) {
            self.tile = tile
            self.version = version
        }
    }

    /// What tells it from others; the same in several drawings of a list where it stands in for several tiles.
    public let id: ID
    /// The pixels.
    public let image: Image
    /// How stored pixels are turned to be drawn: as the image says, and then as the user turned it. Nothing else says so.
    public let orientation: Orientation
    /// Where all of the picture goes, turned, in points of the view.
    public let rect: ViewRect
    /// The part of `rect` that is drawn.
    public let clip: ViewRect
    /// Whether it stands in for something sharper that isn't there yet.
    public let isStandIn: Bool
}
