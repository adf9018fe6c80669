public import ImageFormats
public import Raster

/// The rows of one level of a stored pyramid, decoded one row of tiles at a time.
///
/// Rows are RGBA with 8 bits a channel, in sRGB. A missing tile is transparent, or the background if tiles have no
/// alpha.
public final class LevelRowSource: RowSource {
    /// The size, format and alpha mode of the rows.
    public let info: BitmapInfo

    private let pyramid: any StoredPyramid
    private let level: Int
    private let background: RGBA8
    private let codecs: CodecRegistry
    private var strip: Bitmap?
    private var stripStart = 0
    private var nextRow = 0

    /// Creates a source of the rows of `level`, whose tiles are decoded with `codecs`.
    /// - Throws: `invalidParameter` if the level doesn't exist.
    public init(
        _ pyramid: any StoredPyramid, level: Int, background: RGBA8 = RGBA8(255, 255, 255),
        codecs: CodecRegistry = .default
    ) throws(ImageError) {
        guard pyramid.geometry.levels.indices.contains(level) else {
            throw ImageError(
                .invalidParameter,
                "the pyramid has no level \(level); the smallest is \(pyramid.geometry.levels.count - 1)")
        }
        self.pyramid = pyramid
        self.level = level
        self.background = background
        self.codecs = codecs
        info = BitmapInfo(
            size: pyramid.geometry.levels[level], format: .rgba8, alpha: pyramid.format == .jpeg ? .none : .straight)
    }

    /// Fills `rows` with the next rows.
    /// - Throws: The error of reading or decoding a tile.
    public func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        guard nextRow < info.size.height, rows.count > 0 else { return 0 }
        let tileSize = pyramid.geometry.tileSize
        if strip == nil || nextRow >= stripStart + tileSize {
            stripStart = nextRow / tileSize * tileSize
            strip = try makeStrip(nextRow / tileSize)
        }
        guard let strip else { return 0 }
        let first = nextRow - stripStart
        let count = min(rows.count, strip.height - first)
        rows.copy(strip.rows.extracting(first..<first + count))
        nextRow += count
        return count
    }

    private func makeStrip(_ row: Int) throws(ImageError) -> Bitmap {
        let geometry = pyramid.geometry
        let height = min(geometry.tileSize, info.size.height - row * geometry.tileSize)
        var stripInfo = info
        stripInfo.size.height = height
        var strip = try MutableBitmap(stripInfo)
        for column in 0..<geometry.columnCount(level) {
            let address = TileAddress(level: level, column: column, row: row)
            let rect = geometry.rect(of: address)
            let (x, y) = (column * geometry.tileSize, row * geometry.tileSize)
            let width = min(geometry.tileSize, info.size.width - x)
            guard let bytes = try pyramid.tile(at: address) else {
                if info.alpha == .none { Self.fill(&strip, x: x, width: width, background) }
                continue
            }
            let tile = try decode(bytes)
            guard tile.width >= rect.width, tile.height >= rect.height else {
                throw ImageError(.corrupt, "tile \(address) is \(tile.size), and not \(rect.size)")
            }
            let own = PixelRect(x: x - rect.x, y: y - rect.y, width: width, height: height)
            strip.draw(try tile.cropped(to: own), x: x, y: 0)
        }
        return strip.freeze()
    }

    private func decode(_ bytes: [UInt8]) throws(ImageError) -> Bitmap {
        let decoded = try ImageSource.decode(bytes, registry: codecs)
        if let error = decoded.error { throw error }
        return try decoded.bitmap.converted(to: .rgba8, alpha: info.alpha)
    }

    private static func fill(_ strip: inout MutableBitmap, x: Int, width: Int, _ color: RGBA8) {
        var target = strip.mutableRows
        for index in 0..<target.count {
            var row = target.row(index, as: RGBA8.self)
            for pixel in x..<x + width { row[pixel] = RGBA8(color.red, color.green, color.blue) }
        }
    }
}
