internal import Dispatch
internal import Synchronization

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

/// Rows of memory that several threads fill at once.
///
/// Unchecked: each thread is given rows of its own by `Strips.perform`, and whoever started them has exclusive access
/// to all until they are done.
struct SharedRows: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let bytesPerRow: Int
    let info: BitmapInfo

    /// Lends the rows in `range`.
    func withRows<E: Error>(_ range: Range<Int>, _ body: (inout MutablePixelRows) throws(E) -> Void) throws(E) {
        precondition(range.lowerBound >= 0 && range.upperBound <= info.size.height)
        var owner: Void = ()
        var rows = MutablePixelRows(
            unsafe: base + range.lowerBound * bytesPerRow, format: info.format, width: info.size.width,
            count: range.count, bytesPerRow: bytesPerRow, owner: &owner)
        try body(&rows)
    }
}

extension MutableBitmap {
    /// Has all rows filled, by several threads where that pays: `body` is given some of the rows and which they are.
    ///
    /// `byteCount` is how much memory the work touches; nil for this bitmap's own.
    /// - Throws: The first error of `body`'s, when all threads are done.
    package mutating func fill(
        touching byteCount: Int? = nil,
        _ body: @Sendable (inout MutablePixelRows, Range<Int>) throws(ImageError) -> Void
    ) throws(ImageError) {
        let failure = Mutex<ImageError?>(nil)
        let (height, size) = (info.size.height, byteCount ?? bytesPerRow * info.size.height)
        withSharedRows { target in
            Strips.perform(rowCount: height, byteCount: size) { range in
                do throws(ImageError) {
                    try target.withRows(range) { (rows) throws(ImageError) in try body(&rows, range) }
                } catch {
                    failure.withLock { $0 = $0 ?? error }
                }
            }
        }
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
