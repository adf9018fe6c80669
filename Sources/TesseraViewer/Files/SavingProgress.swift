#if GTK
internal import ImageFormats
internal import Raster
internal import Synchronization
internal import Tessera

/// Follows how much of an image has been read while it is saved.
final class SavingProgress: Sendable {
    private let report: @Sendable (Double) -> Void
    private let lastPercent = Atomic<Int>(0)

    /// - Parameter report: Called on any thread with the part that is done, from 0 to 1, at most a hundred times.
    init(_ report: @escaping @Sendable (Double) -> Void) { self.report = report }

    func set(_ part: Double) {
        let percent = Int(part * 100)
        if lastPercent.exchange(percent, ordering: .relaxed) != percent { report(part) }
    }

    /// The rows of `source`, which are counted as they are read.
    func following(_ source: any RowSource) -> any RowSource { FollowedRows(source, self) }
}

private final class FollowedRows: RowSource {
    private let source: any RowSource
    private let progress: SavingProgress
    private var count = 0

    init(_ source: any RowSource, _ progress: SavingProgress) {
        self.source = source
        self.progress = progress
    }

    var info: BitmapInfo { source.info }
    var coverage: PixelRegion { source.coverage }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        let read = try source.read(into: &rows)
        count += read
        progress.set(min(1, Double(count) / Double(max(1, info.size.height))))
        return read
    }
}
#endif
