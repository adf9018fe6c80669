internal import Raster

/// Room for a few rows of a picture, filled again and again.
final class PixelStrip {
    private var bitmap: MutableBitmap
    private let height: Int
    private var filled = 0

    /// Room for `height` rows of a picture as `info` describes it, fewer where it has fewer.
    init(_ info: BitmapInfo, height: Int) throws(ImageError) {
        var info = info
        info.size.height = min(info.size.height, height)
        self.height = info.size.height
        bitmap = try MutableBitmap(uninitialized: info)
    }

    /// Lends room for at most `count` rows to `body`, which says how many it filled.
    func fill(
        _ count: Int, _ body: (inout MutablePixelRows) throws(ImageError) -> Int
    ) throws(ImageError) -> Int {
        filled = try bitmap.withMutableRows(0..<min(count, height), body)
        return filled
    }

    /// Lends the rows that were filled last.
    func withRows(_ body: (borrowing PixelRows) -> Void) {
        bitmap.withMutableRows(0..<filled) { body($0.readOnly) }
    }
}
