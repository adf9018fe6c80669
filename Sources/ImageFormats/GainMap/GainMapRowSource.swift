internal import Raster

/// Applies a gain map to another source's rows as they are read.
final class GainMapRowSource: RowSource {
    let info: BitmapInfo
    private let source: any RowSource
    private let renderer: GainMapRenderer
    /// Rows of the base.
    private var strip: MutableBitmap
    private var nextRow = 0

    /// Creates a source of the rows of `source` as `renderer` renders them, which was made for their format.
    /// - Parameter peak: The brightest light of the rendition in candela per square metre.
    init(_ source: any RowSource, _ renderer: GainMapRenderer, peak: Double) throws(ImageError) {
        self.source = source
        self.renderer = renderer
        var info = renderer.info
        info.profile = .coded(primaries: 9, transfer: 16, isGray: false, peak: peak)
        self.info = info
        strip = try MutableBitmap(uninitialized: source.info.strip(byteCount: 1 << 18))
    }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        let wanted = min(rows.count, strip.info.size.height)
        let source = source
        let count = try strip.withMutableRows(0..<wanted) { (base) throws(ImageError) in try source.read(into: &base) }
        Self.render(strip, count, by: renderer, from: nextRow, into: &rows)
        nextRow += count
        return count
    }

    // The rows of a bitmap that is a class's property can be lent only to a call.
    private static func render(
        _ strip: borrowing MutableBitmap, _ count: Int, by renderer: GainMapRenderer, from first: Int,
        into rows: inout MutablePixelRows
    ) {
        renderer.render(strip.rows.extracting(0..<count), from: first, into: &rows)
    }
}
