/// The one owner of a bitmap's memory; gives it back to its pool.
///
/// Unchecked: the bytes are written only through a `MutableBitmap`, which can't be copied, and are constant from the
/// moment it is frozen into a `Bitmap`, so no two threads can meet over a write.
final class PixelStorage: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let bytesPerRow: Int
    private let buffer: PixelBufferPool.Buffer
    private let pool: PixelBufferPool

    /// Rows are aligned to 64 bytes, so that no two rows share a cache line and vectors load whole ones.
    static let rowAlignment = 64

    init(_ info: BitmapInfo, pool: PixelBufferPool) throws(ImageError) {
        guard !info.size.isEmpty else {
            throw ImageError(.invalidParameter, "a bitmap of \(info.size) pixels has no pixels")
        }
        let (rowBytes, rowOverflows) = info.size.width.multipliedReportingOverflow(by: info.format.bytesPerPixel)
        let (padded, paddedOverflows) = rowBytes.addingReportingOverflow(Self.rowAlignment - 1)
        let stride = padded / Self.rowAlignment * Self.rowAlignment
        let (total, totalOverflows) = stride.multipliedReportingOverflow(by: info.size.height)
        guard !rowOverflows, !paddedOverflows, !totalOverflows, total < Int.max / 2 else {
            throw ImageError(.limitExceeded, "a bitmap of \(info.size) pixels is larger than memory can be")
        }
        buffer = try pool.take(total)
        base = buffer.base
        bytesPerRow = stride
        self.pool = pool
    }

    deinit {
        pool.give(buffer)
    }
}
