internal import ImageFormats
internal import Raster
internal import Synchronization

/// The whole image in several sizes, which IIIF has beside the tiles; assembled from the tiles of small levels.
final class WholePictures: StoredPyramid {
    let geometry: PyramidGeometry
    private let encoding: TileEncoding
    private let codecs: CodecRegistry
    /// The levels written as whole images, smallest first; at least the smallest level.
    let levels: [Int]
    private let tiles = Mutex<[TileAddress: [UInt8]]>([:])

    /// The longest side of a whole image.
    static let maximumSide = 2048

    init(_ tree: PyramidTree) {
        geometry = tree.geometry
        encoding = tree.encoding
        codecs = tree.codecs
        let levels = tree.geometry.levels
        self.levels = levels.indices.reversed().filter { level in
            max(levels[level].width, levels[level].height) <= Self.maximumSide || level == levels.count - 1
        }
    }

    var format: ImageFormat { encoding.format }
    var isPadded: Bool { false }

    /// Returns whether a tile is part of a whole image, and must be made even if its file exists.
    func wants(_ address: TileAddress) -> Bool { levels.contains(address.level) }

    /// Keeps a tile if it is part of a whole image.
    func keep(_ bytes: UnsafeRawBufferPointer, at address: TileAddress) {
        guard wants(address) else { return }
        let copy = Array(bytes)
        tiles.withLock { $0[address] = copy }
    }

    func tile(at address: TileAddress) -> [UInt8]? { tiles.withLock { $0[address] } }

    /// Returns the image of a level; for a level of one tile, the tile itself.
    func picture(_ level: Int) throws(ImageError) -> [UInt8] {
        if geometry.columnCount(level) == 1, geometry.rowCount(level) == 1,
            let tile = tile(at: TileAddress(level: level, column: 0, row: 0))
        {
            return tile
        }
        let rows = try LevelRowSource(self, level: level, background: encoding.background, codecs: codecs)
        let buffer = ByteBuffer()
        let options = EncodingOptions(quality: encoding.quality, background: encoding.background)
        try ImageDestination(format: encoding.format, options: options, registry: codecs).encode(rows, to: buffer)
        return buffer.bytes
    }
}
