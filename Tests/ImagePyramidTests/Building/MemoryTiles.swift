import ImageFormats
import ImageFormatsTestSupport
import Raster
import Synchronization

import ImagePyramid

/// A sink that keeps tiles in memory: all, or those that are asked for.
final class MemoryTiles: TileSink {
    private struct State {
        var tiles: [TileAddress: [UInt8]] = [:]
        var written: [TileAddress] = []
        var isFinished = false
    }

    let geometry: PyramidGeometry
    let encoding: TileEncoding
    private let state = Mutex(State())
    private let keeps: @Sendable (TileAddress) -> Bool
    /// After so many tiles, writing fails.
    private let room: Int
    private let present: Set<TileAddress>

    init(
        _ geometry: PyramidGeometry, _ encoding: TileEncoding = TileEncoding(), room: Int = .max,
        present: Set<TileAddress> = [],
        keeps: @escaping @Sendable (TileAddress) -> Bool = { _ in true }
    ) {
        self.geometry = geometry
        self.encoding = encoding
        self.room = room
        self.present = present
        self.keeps = keeps
    }

    func contains(_ address: TileAddress) -> Bool { present.contains(address) }

    func write(_ bytes: RawSpan, at address: TileAddress) throws(ImageError) {
        let kept: [UInt8] = keeps(address) ? bytes.withUnsafeBytes { Array($0) } : []
        let isFull = state.withLock { state in
            guard state.written.count < room else { return true }
            state.written.append(address)
            if !kept.isEmpty { state.tiles[address] = kept }
            return false
        }
        if isFull { throw ImageError(.inputOutput, "no space left on device") }
    }

    func finish() throws(ImageError) { state.withLock { $0.isFinished = true } }

    var tiles: [TileAddress: [UInt8]] { state.withLock { $0.tiles } }
    var written: [TileAddress] { state.withLock { $0.written } }
    var isFinished: Bool { state.withLock { $0.isFinished } }

    func bitmap(_ address: TileAddress) throws -> Bitmap {
        guard let bytes = tiles[address] else { throw ImageError(.inputOutput, "there is no tile \(address)") }
        return try ImageRowSource(Source(bytes)).makeBitmap()
    }

    /// A level put together from its tiles, which have to agree where they overlap, to within `tolerance`.
    func level(_ level: Int, _ geometry: PyramidGeometry) throws -> [RGBA8] {
        let size = geometry.levels[level]
        var pixels = [RGBA8](repeating: RGBA8(0, 0, 0, 0), count: size.pixelCount)
        for row in 0..<geometry.rowCount(level) {
            for column in 0..<geometry.columnCount(level) {
                let address = TileAddress(level: level, column: column, row: row)
                let (tile, rect) = (try bitmap(address), geometry.rect(of: address))
                guard tile.size == rect.size else {
                    throw ImageError(.corrupt, "tile \(address) is \(tile.size), not \(rect.size)")
                }
                let own = tile.pixels
                for y in 0..<rect.height {
                    for x in 0..<rect.width {
                        pixels[(rect.y + y) * size.width + rect.x + x] = own[y * rect.width + x]
                    }
                }
            }
        }
        return pixels
    }
}
