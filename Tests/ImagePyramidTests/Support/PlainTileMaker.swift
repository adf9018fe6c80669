import Dispatch
import ImageFormats
import ImagePyramid
import Raster
import Synchronization

/// Tiles made the plain way: every level in memory, each tile cut out and encoded.
struct PlainTileMaker {
    let geometry: PyramidGeometry
    let encoding: TileEncoding
    /// The full picture first.
    let levels: [Bitmap]

    init(_ picture: Bitmap, _ geometry: PyramidGeometry, _ encoding: TileEncoding) throws {
        self.geometry = geometry
        self.encoding = encoding
        var levels = [picture]
        while levels.count < geometry.levels.count { levels.append(try Self.half(levels[levels.count - 1])) }
        self.levels = levels
    }

    /// Every tile's address.
    var addresses: [TileAddress] {
        geometry.levels.indices.flatMap { level in
            (0..<geometry.rowCount(level)).flatMap { row in
                (0..<geometry.columnCount(level)).map { TileAddress(level: level, column: $0, row: row) }
            }
        }
    }

    /// A tile's file.
    func tile(_ address: TileAddress) throws(ImageError) -> [UInt8] {
        let rect = geometry.rect(of: address)
        var tile = try levels[address.level].cropped(to: rect)
        if encoding.padding != .none { tile = try padded(tile) }
        let options = EncodingOptions(quality: encoding.quality, background: encoding.background)
        return try ImageDestination(format: encoding.format, options: options).encode(tile)
    }

    /// Makes all tiles, or those of `addresses`, on several threads.
    func write(_ addresses: [TileAddress]? = nil, to sink: any TileSink) throws {
        let addresses = addresses ?? self.addresses
        let failures = Failures()
        DispatchQueue.concurrentPerform(iterations: addresses.count) { index in
            do throws(ImageError) {
                guard !sink.contains(addresses[index]) else { return }
                let bytes = try tile(addresses[index])
                try sink.write(bytes.span.bytes, at: addresses[index])
            } catch {
                failures.append(error)
            }
        }
        if let error = failures.first { throw error }
    }

    private final class Failures: Sendable {
        private let errors = Mutex<[ImageError]>([])
        func append(_ error: ImageError) { errors.withLock { $0.append(error) } }
        var first: ImageError? { errors.withLock { $0.first } }
    }

    private func padded(_ tile: Bitmap) throws(ImageError) -> Bitmap {
        let side = geometry.tileSize
        var result = try MutableBitmap(
            BitmapInfo(size: PixelSize(width: side, height: side), format: tile.format, alpha: tile.alpha))
        var rows = result.mutableRows
        let repeats = encoding.padding == .edges
        let background = RGBA8(encoding.background.red, encoding.background.green, encoding.background.blue)
        for y in 0..<side {
            let source = tile.rows.row(min(y, tile.height - 1), as: RGBA8.self)
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<side {
                let isInside = x < tile.width && y < tile.height
                row[x] = isInside || repeats ? source[min(x, tile.width - 1)] : background
            }
        }
        return result.freeze()
    }

    /// Half the size, rounded up: the mean of two by two, the last column and row taken twice where they are single.
    private static func half(_ bitmap: Bitmap) throws(ImageError) -> Bitmap {
        let size = PixelSize(width: (bitmap.width + 1) / 2, height: (bitmap.height + 1) / 2)
        var result = try MutableBitmap(BitmapInfo(size: size, format: .rgba8, alpha: bitmap.alpha))
        var rows = result.mutableRows
        for y in 0..<size.height {
            let top = bitmap.rows.row(2 * y, as: RGBA8.self)
            let bottom = bitmap.rows.row(min(2 * y + 1, bitmap.height - 1), as: RGBA8.self)
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<size.width {
                let right = min(2 * x + 1, bitmap.width - 1)
                let four = [top[2 * x], top[right], bottom[2 * x], bottom[right]]
                func mean(_ channel: KeyPath<RGBA8, UInt8>) -> UInt8 {
                    UInt8((four.reduce(0) { $0 + Int($1[keyPath: channel]) } + 2) / 4)
                }
                row[x] = RGBA8(mean(\.red), mean(\.green), mean(\.blue), mean(\.alpha))
            }
        }
        return result.freeze()
    }
}
