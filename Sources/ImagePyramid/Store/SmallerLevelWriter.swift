internal import Dispatch
internal import Raster

/// Makes and writes the tiles of all levels except the full one, for one pass over an image's rows.
///
/// Unchecked: used only from the serial work of one `TileWritingQueue`.
final class SmallerLevelWriter: @unchecked Sendable {
    private let store: RawTileStore
    private let pass: Int
    private var levels: SmallerLevels?
    /// For each level, the number of rows of its unfinished strip that are already in the file.
    private var writtenRowCounts: [Int]

    init(_ store: RawTileStore, pass: Int) {
        self.store = store
        self.pass = pass
        writtenRowCounts = store.geometry.levels.map { _ in 0 }
    }

    /// Creates the smaller levels of `strips`.
    func begin(_ strips: LevelStrips) throws(ImageError) {
        levels = try strips.makeSmallerLevels { [unowned self] (strip) throws(ImageError) in
            let first = writtenRowCounts[strip.level]
            writtenRowCounts[strip.level] = 0
            guard RawTileWriter.isToBeWritten(strip, pass: pass) else { return }
            store.write(0..<strip.tileCount, of: strip, rows: first..<strip.rect.height, pass: pass, isLast: true)
        }
    }

    /// Halves rows of the full level; an error ends the store.
    func take(_ pairs: [LevelStripFilling.Pair]) {
        guard let levels, store.error == nil else { return }
        do throws(ImageError) {
            for pair in pairs { try levels.take(pair) }
        } catch {
            store.fail(error)
        }
        writeEarly(levels)
    }

    /// Writes rows of unfinished strips, in the first pass only: in a later one a tile would mix both.
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

    /// Writes unfinished strips that have rows, after the last row.
    func finishPartially(blank: [[UInt8]]) { try? levels?.finishPartially(blank: blank) }
}

/// A serial queue of work on one file, on another thread. Adding work blocks while too much is waiting.
///
/// One thread does all of it, because the system serializes writes to a file.
final class TileWritingQueue: Sendable {
    private let queue = DispatchQueue(label: "tessera.tiles", qos: .userInitiated)
    private let places = DispatchSemaphore(value: 0)

    /// The most pieces that may be waiting or in progress; a piece is up to 4 MiB of tiles, or as many rows to halve.
    private static let limit = 8

    init() {
        // A semaphore mustn't be deallocated with a value below its initial one.
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

/// Writes a tile's pixels in the format of a store.
struct TilePixels {
    let order: TextureBuffer.Order

    /// Fills the tile at `target` with `rows`, RGBA or grey, and the rest of each row with zeros.
    func fill(_ target: UnsafeMutableRawPointer, with rows: borrowing PixelRows) {
        let (width, stride) = (rows.width, RawTileStore.bytesPerRow)
        precondition(width <= RawTileStore.tileSize && rows.count <= RawTileStore.tileSize)
        let (isGray, count, sourceStride) = (rows.format.isGray, rows.count, rows.bytesPerRow)
        rows.withUnsafeBase { source in
            for y in 0..<count {
                // The tile has at least as many rows, `stride` bytes apart; the source has `width` pixels in each.
                let row = target + y * stride
                let pixels = row.assumingMemoryBound(to: UInt32.self)
                if isGray {
                    let grays = (source + y * sourceStride).assumingMemoryBound(to: UInt8.self)
                    // Grey is the same in either order.
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
