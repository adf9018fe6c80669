internal import ImageFormats
internal import Raster
internal import Synchronization

/// The whole picture in several sizes, which IIIF has beside the tiles: put together from those of the small levels.
final class WholePictures: StoredPyramid {
    let geometry: PyramidGeometry
    private let encoding: TileEncoding
    private let codecs: CodecRegistry
    /// The levels of which there is a picture, the smallest first: the last of all at least.
    let levels: [Int]
    private let tiles = Mutex<[TileAddress: [UInt8]]>([:])

    /// Up to this side the whole picture is written; larger ones are seen by their tiles.
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

    /// Whether a tile is wanted here, so that it must be made even when its file is there.
    func wants(_ address: TileAddress) -> Bool { levels.contains(address.level) }

    /// Keeps a tile if it is wanted.
    func keep(_ bytes: UnsafeRawBufferPointer, at address: TileAddress) {
        guard wants(address) else { return }
        let copy = Array(bytes)
        tiles.withLock { $0[address] = copy }
    }

    func tile(at address: TileAddress) -> [UInt8]? { tiles.withLock { $0[address] } }

    /// The picture of a level; the tile itself where that is all.
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
