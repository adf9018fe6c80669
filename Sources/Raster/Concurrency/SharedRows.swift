/// Rows of memory that several threads fill at once.
///
/// Unchecked: each thread is given rows of its own by `Strips.perform`, and whoever started them has exclusive access
/// to all until they are done.
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
