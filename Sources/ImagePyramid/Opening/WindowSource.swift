internal import Raster

/// A picture of which any part can be had at any level, without the rest.
protocol WindowSource: Sendable {
    /// The pixels of a part of a level, in sRGB with 8 bits a channel; `rect` is in upright pixels of that level, and what
    /// comes may still have to be turned.
    func window(_ rect: PixelRect, level: Int) async throws(ImageError) -> Image

    /// A tile's file where it needn't be made: one that is stored, or a copy of the source's bits; nil elsewhere.
    func encodedTile(_ address: TileAddress) async throws(ImageError) -> EncodedTile?

    /// What becomes known while the picture is decoded, and the end.
    var events: AsyncStream<ArrivingImage.Event> { get }
    /// Why tiles are missing that will never come.
    var error: ImageError? { get }
}

extension WindowSource {
    /// All tiles are there from the start.
    var events: AsyncStream<ArrivingImage.Event> {
        AsyncStream { continuation in
            continuation.yield(.complete)
            continuation.finish()
        }
    }

    var error: ImageError? { nil }

    /// None.
    func encodedTile(_ address: TileAddress) async throws(ImageError) -> EncodedTile? { nil }
}
