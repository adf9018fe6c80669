/// Consecutive rows of pixels in borrowed memory, to fill or change.
///
/// A view with exclusive access: it can't be copied and can't outlive its memory.
public struct MutablePixelRows: ~Escapable, ~Copyable {
    // Valid as long as the view: its initialiser ties the view's lifetime to exclusive access to the owner.
    @usableFromInline let base: UnsafeMutableRawPointer
    /// The memory layout of a pixel.
    public let format: PixelFormat
    /// Pixels in a row.
    public let width: Int
    /// The number of rows.
    public let count: Int
    /// Bytes from the start of a row to the start of the next.
    public let bytesPerRow: Int

    /// Rows at `base`, which `owner` keeps alive and nothing else accesses in the meantime.
    @_lifetime(&owner)
    package init<Owner: ~Copyable & ~Escapable>(
        unsafe base: UnsafeMutableRawPointer, format: PixelFormat, width: Int, count: Int, bytesPerRow: Int,
        owner: inout Owner
    ) {
        self.base = base
        self.format = format
        self.width = width
        self.count = count
        self.bytesPerRow = bytesPerRow
    }

    /// Rows in `memory`, which begin `bytesPerRow` bytes apart: for pixels at an address of the caller's choice.
    /// - Throws: `invalidParameter` if the rows don't fit, or 16-bit channels would lie at odd addresses.
    @_lifetime(&memory)
    public init(
        _ memory: inout MutableRawSpan, format: PixelFormat, width: Int, count: Int, bytesPerRow: Int
    ) throws(ImageError) {
        let (start, byteCount) = memory.withUnsafeMutableBytes { ($0.baseAddress, $0.count) }
        let (rowBytes, widthOverflows) = width.multipliedReportingOverflow(by: format.bytesPerPixel)
        let (before, countOverflows) = bytesPerRow.multipliedReportingOverflow(by: max(0, count - 1))
        let (total, overflows) = before.addingReportingOverflow(rowBytes)
        guard let start, width > 0, count > 0, !widthOverflows, !countOverflows, !overflows, bytesPerRow >= rowBytes,
            total <= byteCount
        else {
            throw ImageError(
                .invalidParameter,
                "\(count) rows of \(width) pixels, \(bytesPerRow) bytes apart, don't fit in \(byteCount) bytes")
        }
        let channelBytes = format.bitsPerChannel / 8
        guard Int(bitPattern: start) % channelBytes == 0, bytesPerRow % channelBytes == 0 else {
            throw ImageError(.invalidParameter, "channels of \(channelBytes) bytes must lie at even addresses")
        }
        // All rows lie within the memory, to which the view has exclusive access for its lifetime.
        self.init(
            unsafe: start, format: format, width: width, count: count, bytesPerRow: bytesPerRow, owner: &memory)
    }

    /// Row `y` as pixels. Traps if `y` is out of range or `Pixel` isn't this format's type.
    @inlinable
    @_lifetime(&self)
    public mutating func row<P: Pixel>(_ y: Int, as type: P.Type) -> MutableSpan<P> {
        precondition(y >= 0 && y < count && P.format == format)
        // In bounds by the line above; the memory lives as long as self, and self has exclusive access.
        let start = (base + y * bytesPerRow).assumingMemoryBound(to: P.self)
        return _overrideLifetime(MutableSpan(_unsafeStart: start, count: width), mutating: &self)
    }

    /// Row `y` as bytes, without padding. Traps if `y` is out of range.
    @inlinable
    @_lifetime(&self)
    public mutating func bytes(_ y: Int) -> MutableRawSpan {
        precondition(y >= 0 && y < count)
        // As in row(_:as:).
        let span = MutableRawSpan(_unsafeStart: base + y * bytesPerRow, byteCount: width * format.bytesPerPixel)
        return _overrideLifetime(span, mutating: &self)
    }

    /// The rows in `range`. Traps if they aren't all in range.
    @_lifetime(&self)
    public mutating func extracting(_ range: Range<Int>) -> MutablePixelRows {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        let (start, format, width, stride) = (base + range.lowerBound * bytesPerRow, format, width, bytesPerRow)
        return MutablePixelRows(
            unsafe: start, format: format, width: width, count: range.count, bytesPerRow: stride, owner: &self)
    }

    /// A read-only view of the same rows.
    public var readOnly: PixelRows {
        @_lifetime(borrow self)
        get {
            PixelRows(unsafe: base, format: format, width: width, count: count, bytesPerRow: bytesPerRow, owner: self)
        }
    }

    /// Copies all of `rows` to the rows from `y` on. Traps unless format and width are the same and all fit.
    public mutating func copy(_ rows: borrowing PixelRows, at y: Int = 0) {
        precondition(rows.format == format && rows.width == width && y >= 0 && y + rows.count <= count)
        for index in 0..<rows.count {
            // Both rows are in bounds and as long as the copy; exclusive access means they can't overlap.
            (base + (y + index) * bytesPerRow)
                .copyMemory(from: rows.base + index * rows.bytesPerRow, byteCount: width * format.bytesPerPixel)
        }
    }

    /// Copies the part of `source` that lies within these rows when its top left pixel is at (`x`, `y`). Both have one format.
    package mutating func draw(_ source: borrowing PixelRows, x: Int, y: Int) {
        precondition(source.format == format)
        let (left, right) = (max(0, x), min(width, x + source.width))
        let (top, bottom) = (max(0, y), min(count, y + source.count))
        guard left < right, top < bottom else { return }
        let pixel = format.bytesPerPixel
        for row in top..<bottom {
            // In bounds on both sides by the lines above; exclusive access means that they can't overlap.
            (base + row * bytesPerRow + left * pixel)
                .copyMemory(
                    from: source.base + (row - y) * source.bytesPerRow + (left - x) * pixel,
                    byteCount: (right - left) * pixel)
        }
    }

    /// Lends the memory to code that needs an address, such as a C library. The pointer must not escape from `body`.
    package mutating func withUnsafeBase<R, E: Error>(
        _ body: (UnsafeMutableRawPointer) throws(E) -> R
    ) throws(E) -> R {
        try body(base)
    }
}
