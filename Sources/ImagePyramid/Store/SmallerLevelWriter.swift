internal import Dispatch
internal import Raster

/// Makes the tiles of all levels but the full one, and writes them, for one pass over a picture's rows.
///
/// Unchecked: used by the work of one `TileWritingQueue` alone, which is done one piece after the other.
final class SmallerLevelWriter: @unchecked Sendable {
    private let store: RawTileStore
    private let pass: Int
    private var levels: SmallerLevels?
    /// For each level, how many rows of its unfinished strip are in the file already.
    private var writtenRowCounts: [Int]

    init(_ store: RawTileStore, pass: Int) {
        self.store = store
        self.pass = pass
        writtenRowCounts = store.geometry.levels.map { _ in 0 }
    }

    /// Makes the levels as those that go with `strips`.
    func begin(_ strips: LevelStrips) throws(ImageError) {
        levels = try strips.makeSmallerLevels { [unowned self] (strip) throws(ImageError) in
            let first = writtenRowCounts[strip.level]
            writtenRowCounts[strip.level] = 0
            guard RawTileWriter.isToBeWritten(strip, pass: pass) else { return }
            store.write(0..<strip.tileCount, of: strip, rows: first..<strip.rect.height, pass: pass, isLast: true)
        }
    }

    /// Halves rows of the full level; what keeps that from being done ends the store.
    func take(_ pairs: [LevelStripFilling.Pair]) {
        guard let levels, store.error == nil else { return }
        do throws(ImageError) {
            for pair in pairs { try levels.take(pair) }
        } catch {
            store.fail(error)
        }
        writeEarly(levels)
    }

    /// Writes rows of strips that aren't whole yet. Not of a later pass: a tile would show some of both.
    private func writeEarly(_ levels: SmallerLevels) {
        guard pass == 1 else { return }
        for level in writtenRowCounts.indices.dropFirst() {
            guard let strip = levels.unfinishedStrip(level) else { continue }
            let rows = writtenRowCounts[level]..<strip.filledRowCount
            guard rows.count >= RawTileWriter.earlyRowCount else { continue }
            store.write(0..<strip.tileCount, of: strip, rows: rows, pass: pass, isLast: false)
            writtenRowCounts[level] = rows.upperBound
        }
    }

    /// Writes strips of which rows have come, where no more will.
    func finishPartially(blank: [[UInt8]]) { try? levels?.finishPartially(blank: blank) }
}

/// Work on one file, done in the order in which it comes, beside the thread that it comes from; when too much of it waits,
/// so does that thread.
///
/// One thread does it all: the system lets no two write to a file at once.
final class TileWritingQueue: Sendable {
    private let queue = DispatchQueue(label: "tessera.tiles", qos: .userInitiated)
    private let places = DispatchSemaphore(value: 0)

    /// Pieces that may wait or be under way; a piece is 4 MiB of tiles, or as many rows to be halved.
    private static let limit = 8

    init() {
        // A semaphore mustn't end with less than it began with.
        for _ in 0..<Self.limit { places.signal() }
    }

    func perform(_ work: @escaping @Sendable () -> Void) {
        places.wait()
        queue.async { [places] in
            work()
            places.signal()
        }
    }

    func wait() { queue.sync {} }
}

/// Puts the pixels of a tile side by side, in the form in which a store keeps them.
struct TilePixels {
    let order: TextureBuffer.Order

    /// Fills the tile at `target` with `rows`, of RGBA or grey, and what is left of each row with zeros.
    func fill(_ target: UnsafeMutableRawPointer, with rows: borrowing PixelRows) {
        let (width, stride) = (rows.width, RawTileStore.bytesPerRow)
        precondition(width <= RawTileStore.tileSize && rows.count <= RawTileStore.tileSize)
        let (isGray, count, sourceStride) = (rows.format.isGray, rows.count, rows.bytesPerRow)
        rows.withUnsafeBase { source in
            for y in 0..<count {
                // The tile has room for as many rows, and `stride` bytes in each; the source has `width` pixels in each.
                let row = target + y * stride
                let pixels = row.assumingMemoryBound(to: UInt32.self)
                if isGray {
                    let grays = (source + y * sourceStride).assumingMemoryBound(to: UInt8.self)
                    // The same in either order.
                    for x in 0..<width { pixels[x] = (UInt32(grays[x]) &* 0x01_0101 | 0xFF00_0000).littleEndian }
                } else if order == .bgra {
                    let colors = (source + y * sourceStride).assumingMemoryBound(to: UInt32.self)
                    for x in 0..<width {
                        let value = UInt32(littleEndian: colors[x])
                        pixels[x] = (value & 0xFF00_FF00 | (value & 0xFF) << 16 | value >> 16 & 0xFF).littleEndian
                    }
                } else {
                    row.copyMemory(from: source + y * sourceStride, byteCount: width * 4)
                }
                if width < RawTileStore.tileSize {
                    (row + width * 4).initializeMemory(as: UInt8.self, repeating: 0, count: stride - width * 4)
                }
            }
        }
    }
}
