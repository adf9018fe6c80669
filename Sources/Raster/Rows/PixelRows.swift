/// Consecutive rows of pixels that someone else owns, to be read.
///
/// A view: it can't outlive the memory that it looks at. Take rows as spans of their pixel type and loop over those.
public struct PixelRows: ~Escapable {
    // Holds for as long as the view: its initialiser ties the view's lifetime to the memory's owner.
    @usableFromInline let base: UnsafeRawPointer
    /// What a pixel is.
    public let format: PixelFormat
    /// Pixels in a row.
    public let width: Int
    /// How many rows there are.
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

    /// Row `y` as pixels. Traps when `y` is no row here or `Pixel` isn't this format's type.
    @inlinable
    @_lifetime(copy self)
    public func row<P: Pixel>(_ y: Int, as type: P.Type) -> Span<P> {
        precondition(y >= 0 && y < count && P.format == format)
        // In bounds by the line above; the memory lives as long as self.
        let start = (base + y * bytesPerRow).assumingMemoryBound(to: P.self)
        return _overrideLifetime(Span(_unsafeStart: start, count: width), copying: self)
    }

    /// Row `y` as bytes, padding left out. Traps when `y` is no row here.
    @inlinable
    @_lifetime(copy self)
    public func bytes(_ y: Int) -> RawSpan {
        precondition(y >= 0 && y < count)
        // As in row(_:as:).
        let span = RawSpan(_unsafeStart: base + y * bytesPerRow, byteCount: width * format.bytesPerPixel)
        return _overrideLifetime(span, copying: self)
    }

    /// The rows in `range`. Traps when they aren't all here.
    @_lifetime(copy self)
    public func extracting(_ range: Range<Int>) -> PixelRows {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        return _overrideLifetime(
            PixelRows(
                unsafe: base + range.lowerBound * bytesPerRow, format: format, width: width, count: range.count,
                bytesPerRow: bytesPerRow, owner: self),
            copying: self)
    }

    /// Lends the memory to code that needs an address, such as a C library. The pointer must not leave `body`.
    package func withUnsafeBase<R, E: Error>(_ body: (UnsafeRawPointer) throws(E) -> R) throws(E) -> R {
        try body(base)
    }
}
