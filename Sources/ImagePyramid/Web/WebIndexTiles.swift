internal import Synchronization
internal import ImageFormats
internal import Raster

/// Keeps a pyramid's small levels in memory, and none of the others.
final class WebIndexTiles: TileSink {
    let geometry: PyramidGeometry
    let encoding: TileEncoding
    /// The kept levels, finest first.
    let levels: Range<Int>

    /// The number of each level's first tile, coarsest level first.
    private let starts: [Int: Int]
    private let kept: Mutex<[[UInt8]]>

    init(_ geometry: PyramidGeometry, _ encoding: TileEncoding, firstLevel: Int) {
        self.geometry = geometry
        self.encoding = encoding
        // An image of few levels keeps its coarsest.
        levels = min(firstLevel, geometry.levels.count - 1)..<geometry.levels.count
        var (starts, count) = ([Int: Int](), 0)
        for level in levels.reversed() {
            starts[level] = count
            count += geometry.columnCount(level) * geometry.rowCount(level)
        }
        self.starts = starts
        kept = Mutex(Array(repeating: [], count: count))
    }

    /// The tiles, coarsest level first, row by row.
    var tiles: [[UInt8]] { kept.withLock { $0 } }

    func write(_ bytes: RawSpan, at address: TileAddress) throws(ImageError) {
        guard let start = starts[address.level] else { return }
        // The pointer is used only within the call.
        let tile = bytes.withUnsafeBytes { Array($0) }
        kept.withLock { $0[start + address.row * geometry.columnCount(address.level) + address.column] = tile }
    }

    func finish() throws(ImageError) {}
}
