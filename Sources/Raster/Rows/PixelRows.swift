/// Consecutive rows of pixels in borrowed memory, to read.
///
/// A view that can't outlive its memory. Take rows as spans of their pixel type and loop over those.
public struct PixelRows: ~Escapable {
    // Valid as long as the view: its initialiser ties the view's lifetime to the memory's owner.
    @usableFromInline let base: UnsafeRawPointer
    /// The memory layout of a pixel.
    public let format: PixelFormat
    /// Pixels in a row.
    public let width: Int
    /// The number of rows.
    public let count: Int
    /// Bytes from the start of a row to the start of the next.
    public let bytesPerRow: Int

    /// Rows at `base`, which `owner` keeps alive and unchanged.
    @_lifetime(borrow owner)
    package init<Owner: ~Copyable & ~Escapable>(
        unsafe base: UnsafeRawPointer, format: PixelFormat, width: Int, count: Int, bytesPerRow: Int,
        owner: borrowing Owner
    ) {
        self.base = base
        self.format = format
        self.width = width
        self.count = count
        self.bytesPerRow = bytesPerRow
    }

    /// Row `y` as pixels. Traps if `y` is out of range or `Pixel` isn't this format's type.
    @inlinable
    @_lifetime(copy self)
    public func row<P: Pixel>(_ y: Int, as type: P.Type) -> Span<P> {
        precondition(y >= 0 && y < count && P.format == format)
        // In bounds by the line above; the memory lives as long as self.
        let start = (base + y * bytesPerRow).assumingMemoryBound(to: P.self)
        return _overrideLifetime(Span(_unsafeStart: start, count: width), copying: self)
    }

    /// Row `y` as bytes, without padding. Traps if `y` is out of range.
    @inlinable
    @_lifetime(copy self)
    public func bytes(_ y: Int) -> RawSpan {
        precondition(y >= 0 && y < count)
        // As in row(_:as:).
        let span = RawSpan(_unsafeStart: base + y * bytesPerRow, byteCount: width * format.bytesPerPixel)
        return _overrideLifetime(span, copying: self)
    }

    /// The rows in `range`. Traps if they aren't all in range.
    @_lifetime(copy self)
    public func extracting(_ range: Range<Int>) -> PixelRows {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        return _overrideLifetime(
            PixelRows(
                unsafe: base + range.lowerBound * bytesPerRow, format: format, width: width, count: range.count,
                bytesPerRow: bytesPerRow, owner: self),
            copying: self)
    }

    /// Lends the memory to code that needs an address, such as a C library. The pointer must not escape from `body`.
    package func withUnsafeBase<R, E: Error>(_ body: (UnsafeRawPointer) throws(E) -> R) throws(E) -> R {
        try body(base)
    }
}
