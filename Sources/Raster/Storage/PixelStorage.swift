/// The single owner of a bitmap's memory, which it returns to its pool.
///
/// Unchecked: the bytes are written only through a `MutableBitmap`, which can't be copied, and are constant from the
/// moment it is frozen into a `Bitmap`, so no two threads can race on a write.
final class PixelStorage: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let bytesPerRow: Int
    private let buffer: PixelBufferPool.Buffer
    private let pool: PixelBufferPool

    /// Rows are aligned to 64 bytes, so that no two rows share a cache line and vectors load whole ones.
    static let rowAlignment = 64

    init(_ info: BitmapInfo, pool: PixelBufferPool) throws(ImageError) {
        let (stride, total) = try Self.byteCounts(info)
        buffer = try pool.take(total)
        base = buffer.base
        bytesPerRow = stride
        self.pool = pool
    }

    /// The bytes of a row and of all rows.
    /// - Throws: `invalidParameter` for an empty size, `limitExceeded` for one that no memory could hold.
    static func byteCounts(_ info: BitmapInfo) throws(ImageError) -> (row: Int, total: Int) {
        guard !info.size.isEmpty else {
            throw ImageError(.invalidParameter, "invalid bitmap size \(info.size): width and height must be at least 1")
        }
        let (rowBytes, rowOverflows) = info.size.width.multipliedReportingOverflow(by: info.format.bytesPerPixel)
        let (padded, paddedOverflows) = rowBytes.addingReportingOverflow(Self.rowAlignment - 1)
        let stride = padded / Self.rowAlignment * Self.rowAlignment
        let (total, totalOverflows) = stride.multipliedReportingOverflow(by: info.size.height)
        guard !rowOverflows, !paddedOverflows, !totalOverflows, total < Int.max / 2 else {
            throw ImageError(.limitExceeded, "a bitmap of \(info.size) pixels exceeds the address space")
        }
        return (stride, total)
    }

    deinit {
        pool.give(buffer)
    }
}

/// Scratch memory of a single owner, from the pool and returned to it.
package final class ScratchMemory {
    /// Aligned to 64 bytes. Its initial content is undefined.
    package let base: UnsafeMutableRawPointer
    private let buffer: PixelBufferPool.Buffer
    private let pool: PixelBufferPool

    /// `rowCount` rows of `bytesPerRow` bytes.
    package init(bytesPerRow: Int, rowCount: Int, pool: PixelBufferPool = .shared) throws(ImageError) {
        let (total, overflows) = bytesPerRow.multipliedReportingOverflow(by: rowCount)
        guard !overflows, total < Int.max / 2 else {
            throw ImageError(.limitExceeded, "\(rowCount) rows of \(bytesPerRow) bytes exceed the address space")
        }
        buffer = try pool.take(total)
        base = buffer.base
        self.pool = pool
    }

    deinit { pool.give(buffer) }
}
