/// Memory for one owner's intermediate values, from the pool and back to it.
package final class ScratchMemory {
    /// Aligned to 64 bytes. What it holds at first is not defined.
    package let base: UnsafeMutableRawPointer
    private let buffer: PixelBufferPool.Buffer
    private let pool: PixelBufferPool

    /// `rowCount` rows of `bytesPerRow` bytes.
    package init(bytesPerRow: Int, rowCount: Int, pool: PixelBufferPool = .shared) throws(ImageError) {
        let (total, overflows) = bytesPerRow.multipliedReportingOverflow(by: rowCount)
        guard !overflows, total < Int.max / 2 else {
            throw ImageError(.limitExceeded, "\(rowCount) rows of \(bytesPerRow) bytes are larger than memory can be")
        }
        buffer = try pool.take(total)
        base = buffer.base
        self.pool = pool
    }

    deinit { pool.give(buffer) }
}
