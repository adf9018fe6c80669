internal import Synchronization

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
