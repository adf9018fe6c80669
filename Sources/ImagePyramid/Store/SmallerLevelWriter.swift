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
