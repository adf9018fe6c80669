public import Raster

/// Where a pyramid's encoded tiles go: a packed file, a tree of files, an archive.
///
/// Tiles come in any order, from several threads at once, each once.
public protocol TileSink: AnyObject, Sendable {
    /// Whether the tile is there from an interrupted run, so that it needn't be made again.
    func contains(_ address: TileAddress) -> Bool

    /// Takes a tile's file, in the format and size that the sink was made for. `bytes` are lent for the call.
    /// - Throws: `inputOutput` when it can't be kept; the sink is of no more use then.
    func write(_ bytes: RawSpan, at address: TileAddress) throws(ImageError)

    /// Says that the last tile was written. Nothing looks finished before.
    func finish() throws(ImageError)
}

extension TileSink {
    /// False: nothing is there yet.
    public func contains(_ address: TileAddress) -> Bool { false }
}
