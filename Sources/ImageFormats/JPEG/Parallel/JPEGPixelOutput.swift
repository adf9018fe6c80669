/// Rows, and where they go as pixels: grey, or opaque RGB; of four components CMYK as stored.
///
/// Unchecked: each thread writes different rows.
package struct JPEGPixelOutput: @unchecked Sendable {
    let columns: Range<Int>
    let rows: Range<Int>
    let base: UnsafeMutableRawPointer
    let bytesPerRow: Int

    /// Whether the rows are more than caches hold until somebody reads them.
    var isStreamed: Bool { rows.count * bytesPerRow >= 1 << 23 }

    /// - Parameter base: Room for the rows, `bytesPerRow` bytes apart.
    package init(
        _ columns: Range<Int>, _ rows: Range<Int>, to base: UnsafeMutableRawPointer, bytesPerRow: Int
    ) {
        (self.columns, self.rows, self.base, self.bytesPerRow) = (columns, rows, base, bytesPerRow)
    }
}
