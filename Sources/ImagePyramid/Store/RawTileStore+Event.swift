public import Raster

extension RawTileStore {
    /// What happened to a store's tiles.
    public enum Event: Hashable, Sendable {
        /// These can be read now, or again: where a picture comes in passes, better than before.
        case tiles(TileRange)
        /// This many passes are complete: every tile shows as much.
        case pass(Int)
        /// All tiles are there, and won't change.
        case complete
        /// No more will come, for this reason; those that are there stay.
        case failed(ImageError)
    }

    /// How much of a tile there is.
    public enum TileState: Hashable, Sendable {
        /// Nothing yet.
        case missing
        /// All rows, as far as this pass; the first is 1.
        case ready(pass: Int)
        /// The picture ended within the tile: the rows that are missing are transparent, or black in an opaque picture.
        case partial
    }
}
