internal import CTesseraSystem
internal import Platform
package import Raster

/// Where things lie in the memory that a worker shares with who asks it: bytes of the file first, then rows.
package enum SharedLayout {
    /// Bytes of a file that are handed over at a time, at most; behind them rows begin.
    package static let inputByteCount = Int(TESSERA_MEMORY_INPUT)
    /// What there is for rows at first.
    package static let rowsByteCount = 1 << 22
    /// All of it, at first.
    package static let byteCount = inputByteCount + rowsByteCount

    /// Bytes from one row to the next, a multiple of `TESSERA_MEMORY_ROW_STEP`; nil where that would be too many.
    package static func bytesPerRow(_ info: BitmapInfo) -> Int? {
        let (bytes, overflows) = info.size.width.multipliedReportingOverflow(by: info.format.bytesPerPixel)
        guard !overflows, bytes <= Int(Int32.max) else { return nil }
        let step = Int(TESSERA_MEMORY_ROW_STEP)
        return (bytes + step - 1) / step * step
    }

    /// The memory's first `byteCount` bytes, out of its file; nil where they can't be had.
    package static func map(_ file: CInt, _ byteCount: Int) -> UnsafeMutableRawPointer? {
        let mapped = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        return mapped == MAP_FAILED ? nil : mapped
    }
}
