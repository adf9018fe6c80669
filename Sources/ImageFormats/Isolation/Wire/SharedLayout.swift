internal import CTesseraSystem
internal import Platform
package import Raster

/// The layout of the memory shared with a worker: bytes of the file, followed by rows.
package enum SharedLayout {
    /// The maximum number of the file's bytes passed at a time; rows begin after them.
    package static let inputByteCount = Int(TESSERA_MEMORY_INPUT)
    /// The initial size of the row area in bytes.
    package static let rowsByteCount = 1 << 22
    /// The initial total size in bytes.
    package static let byteCount = inputByteCount + rowsByteCount

    /// Bytes from one row to the next, a multiple of `TESSERA_MEMORY_ROW_STEP`; nil if the row is too long.
    package static func bytesPerRow(_ info: BitmapInfo) -> Int? {
        let (bytes, overflows) = info.size.width.multipliedReportingOverflow(by: info.format.bytesPerPixel)
        guard !overflows, bytes <= Int(Int32.max) else { return nil }
        let step = Int(TESSERA_MEMORY_ROW_STEP)
        return (bytes + step - 1) / step * step
    }

    /// Maps the first `byteCount` bytes of `file`; nil on failure.
    package static func map(_ file: CInt, _ byteCount: Int) -> UnsafeMutableRawPointer? {
        let mapped = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        return mapped == MAP_FAILED ? nil : mapped
    }
}
