internal import Dispatch
internal import Synchronization

/// Splits work on an image's rows across the processors.
enum Strips {
    /// Calls `body` once for each of several ranges that together are `0..<rowCount`, concurrently where that pays.
    ///
    /// `byteCount` is the memory that the whole work touches: below 512 KiB a second thread costs more than it saves.
    /// Returns when all are done.
    static func perform(rowCount: Int, byteCount: Int, _ body: @Sendable (Range<Int>) -> Void) {
        let processors = ImageExecutor.processorCount
        guard processors > 1, byteCount >= 1 << 19, rowCount >= 2 * processors else { return body(0..<rowCount) }
        // Two strips for each processor, so that a delayed one doesn't delay the rest by half.
        let count = byteCount >= 1 << 22 ? min(rowCount, 2 * processors) : processors
        DispatchQueue.concurrentPerform(iterations: count) { index in
            body((rowCount * index / count)..<(rowCount * (index + 1) / count))
        }
    }
}

/// Rows of memory that several threads fill concurrently.
///
/// Unchecked: `Strips.perform` gives each thread different rows, and the caller that started them has exclusive access
/// to all rows until they are done.
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
    /// Fills all rows, on several threads where that pays: `body` gets some of the rows and their range.
    ///
    /// `byteCount` is the memory that the work touches; nil for this bitmap's size.
    /// - Throws: The first error thrown by `body`, once all threads are done.
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

extension MutablePixelRows {
    /// Fills or changes all rows, on several threads where that pays: `body` gets some of the rows and their range.
    package mutating func performInStrips(_ body: @Sendable (inout MutablePixelRows, Range<Int>) -> Void) {
        let info = BitmapInfo(size: PixelSize(width: width, height: count), format: format)
        let target = SharedRows(base: base, bytesPerRow: bytesPerRow, info: info)
        Strips.perform(rowCount: count, byteCount: bytesPerRow * count) { range in
            target.withRows(range) { body(&$0, range) }
        }
    }
}
