internal import Dispatch

/// Splits work on a picture's rows over the processors.
enum Strips {
    /// Calls `body` once for each of some ranges that together are `0..<rowCount`, at the same time where that pays.
    ///
    /// `byteCount` is how much memory the whole work touches: below 512 KiB a second thread costs more than it saves.
    /// Returns when all are done.
    static func perform(rowCount: Int, byteCount: Int, _ body: @Sendable (Range<Int>) -> Void) {
        let processors = ImageExecutor.processorCount
        guard processors > 1, byteCount >= 1 << 19, rowCount >= 2 * processors else { return body(0..<rowCount) }
        // Two strips for each processor, so that one that is held up doesn't hold up the rest by half.
        let count = byteCount >= 1 << 22 ? min(rowCount, 2 * processors) : processors
        DispatchQueue.concurrentPerform(iterations: count) { index in
            body((rowCount * index / count)..<(rowCount * (index + 1) / count))
        }
    }
}
