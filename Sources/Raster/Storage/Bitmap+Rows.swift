extension Bitmap {
    /// A source that delivers this bitmap's rows from the top.
    public func makeRowSource() -> any RowSource { BitmapRowSource(self) }
}

/// Pulls rows out of a finished bitmap.
final class BitmapRowSource: RowSource {
    private let bitmap: Bitmap
    private var next: Int

    /// Rows of `bitmap` from row `first` on.
    init(_ bitmap: Bitmap, from first: Int = 0) {
        self.bitmap = bitmap
        next = first
    }

    var info: BitmapInfo { bitmap.info }

    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int {
        let (bitmap, count) = (bitmap, min(rows.count, bitmap.height - next))
        rows.copy(bitmap.rows.extracting(next..<(next + count)))
        next += count
        return count
    }
}

/// Collects pushed rows into a bitmap.
public final class BitmapSink: RowSink {
    private var bitmap: MutableBitmap?
    private let height: Int
    private var next = 0
    private var finished: Bitmap?

    /// A sink for rows as `info` describes them.
    public init(_ info: BitmapInfo) throws(ImageError) {
        bitmap = try MutableBitmap(uninitialized: info)
        height = info.size.height
    }

    /// Appends rows. Throws `invalidParameter` when there are more than the bitmap is high.
    public func write(_ rows: borrowing PixelRows) throws(ImageError) {
        guard bitmap != nil, rows.count <= height - next else {
            throw ImageError(.invalidParameter, "more rows than the \(height) of the bitmap")
        }
        var target = bitmap!.mutableRows
        target.copy(rows, at: next)
        next += rows.count
    }

    /// Freezes the bitmap. Throws `invalidParameter` when rows are missing.
    public func finish() throws(ImageError) {
        guard next == height, let done = bitmap.take() else {
            throw ImageError(.invalidParameter, "\(next) rows instead of \(height)")
        }
        finished = done.freeze()
    }

    /// The bitmap, once finished.
    public var result: Bitmap? { finished }
}
