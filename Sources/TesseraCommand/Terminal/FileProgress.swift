internal import Raster
internal import Synchronization
internal import Tessera

/// A progress line for one large file: its name, the share that is done and the time left. Nothing is shown unless
/// standard error is a terminal, and for the first half second.
final class FileProgress: Sendable {
    private let name: String
    private let start = ContinuousClock.now
    private let line = Mutex(TerminalLine())

    init(name: String) { self.name = name }

    /// Reports that `done` of `total` rows are written.
    func update(done: Int, of total: Int) {
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        line.withLock { line in
            guard done < total else { return line.clear() }
            guard seconds > 0.5, total > 0, line.isDue else { return }
            line.draw(Self.text(name.printable, done, total, seconds, columnCount: StandardError.columnCount))
        }
    }

    /// Clears the line.
    func finish() { line.withLock { $0.clear() } }

    /// Formats the line for the terminal's width.
    private static func text(
        _ name: String, _ done: Int, _ total: Int, _ seconds: Double, columnCount: Int
    ) -> String {
        var label = " \(100 * done / total) %"
        if done > 0 {
            label += ", \(TileProgress.duration(seconds * Double(total - done) / Double(done))) left"
        }
        let shown = name.fitted(to: max(8, min(30, columnCount / 3)))
        let width = min(40, columnCount - label.count - shown.count - 4)
        guard width > 0 else { return String((shown + label).prefix(max(0, columnCount - 1))) }
        return "\(shown) \(TerminalLine.bar(width * done / total, of: width))\(label)"
    }
}

extension FileProgress {
    /// Returns rows whose reading is shown.
    func following(_ rows: any RowSource) -> any RowSource { FollowedRowSource(rows, progress: self) }
}

/// Rows that report how many have been read.
private final class FollowedRowSource: RowSource {
    private let source: any RowSource
    private let progress: FileProgress
    private var done = 0

    init(_ source: any RowSource, progress: FileProgress) { (self.source, self.progress) = (source, progress) }

    var info: BitmapInfo { source.info }
    var coverage: PixelRegion { source.coverage }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        let count = try source.read(into: &rows)
        done += count
        progress.update(done: done, of: info.size.height)
        return count
    }
}
