public import ImageFormats
internal import Raster

/// A pyramid that was made and can be read, whatever it lies in.
public protocol StoredPyramid: Sendable {
    /// How the picture is divided.
    var geometry: PyramidGeometry { get }
    /// What the tiles are encoded in.
    var format: ImageFormat { get }
    /// Whether tiles at the right and the bottom are filled up to the full tile size.
    var isPadded: Bool { get }

    /// A tile's file; nil for one that isn't there. Traps unless `geometry` has it.
    /// - Throws: `inputOutput`, and `corrupt` or `truncated` for a tile that can be told to be damaged.
    func tile(at address: TileAddress) throws(ImageError) -> [UInt8]?
}
