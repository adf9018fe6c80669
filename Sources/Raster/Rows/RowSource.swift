/// A source that delivers rows on request: a decoder, a resampler, a bitmap.
///
/// Rows come top to bottom, each once. A source is used by one task at a time.
public protocol RowSource: AnyObject {
    /// The rows' properties. Constant for the life of the source.
    var info: BitmapInfo { get }

    /// The part of the rows that is the image: all of them, unless a decoder that reduces had to pad the last row or
    /// column.
    var coverage: PixelRegion { get }

    /// Fills `rows`, from its first row on, with the next rows.
    ///
    /// `rows` has the width and the format of `info`.
    /// - Returns: The number of rows filled; fewer than requested is usual, 0 only after the last row.
    /// - Throws: The error that prevented the next row. Rows delivered before stay valid.
    func read(into rows: inout MutablePixelRows) throws(ImageError) -> Int
}

extension RowSource {
    /// All rows.
    public var coverage: PixelRegion { PixelRegion(info.size) }

    /// Pulls every row into a new bitmap, which is discarded if a row fails.
    public func makeBitmap() throws(ImageError) -> Bitmap {
        var bitmap = try MutableBitmap(uninitialized: info)
        try bitmap.withMutableRows(0..<info.size.height) { (rows) throws(ImageError) in try decode(into: &rows) }
        return bitmap.freeze()
    }

    /// Pulls every row into the caller's memory: a reused bitmap's, a mapped file's, a texture's.
    ///
    /// - Throws: `invalidParameter` if `rows` differs from `info` in format, width or number of rows,
    ///   `truncated` if there are fewer rows, or the error of a row; the rows before it are filled then.
    public func decode(into rows: inout MutablePixelRows) throws(ImageError) {
        let info = info
        guard rows.format == info.format, rows.width == info.size.width, rows.count == info.size.height else {
            throw ImageError(
                .invalidParameter,
                "\(info.size) pixels of \(info.format) don't fit in \(rows.count) rows of \(rows.width) \(rows.format)"
            )
        }
        try fill(&rows)
    }

    /// Pulls as many of the next rows as `rows` has.
    /// - Throws: `truncated` if fewer are left, or the error of a row.
    package func fill(_ rows: inout MutablePixelRows) throws(ImageError) {
        var filled = 0
        while filled < rows.count {
            var rest = rows.extracting(filled..<rows.count)
            let count = try read(into: &rest)
            guard count > 0 else { throw ImageError(.truncated, "the rows end after \(filled) of \(rows.count)") }
            filled += count
        }
    }

    /// Pulls every row and pushes it into `sink`, a strip at a time, and finishes the sink.
    public func copyRows(to sink: any RowSink) throws(ImageError) {
        let height = info.size.height
        var strip = try MutableBitmap(uninitialized: info.strip(byteCount: 1 << 18))
        var done = 0
        while done < height {
            let wanted = min(strip.info.size.height, height - done)
            let count = try strip.withMutableRows(0..<wanted) { (rows) throws(ImageError) in
                try read(into: &rows)
            }
            guard count > 0 else { throw ImageError(.truncated, "the rows end after \(done) of \(height)") }
            try sink.write(strip.rows.extracting(0..<count))
            done += count
        }
        try sink.finish()
    }
}

extension BitmapInfo {
    /// The same, but only as many rows high as fit in `byteCount` bytes, at least 16 where there are as many.
    package func strip(byteCount: Int) -> BitmapInfo {
        var strip = self
        strip.size.height = min(size.height, max(16, byteCount / max(1, rowByteCount)))
        return strip
    }
}

/// A destination of rows: an encoder, a bitmap, the next stage of a pipeline.
///
/// A sink knows its rows' properties in advance; rows come top to bottom, each once. It is used by one task at a time.
public protocol RowSink: AnyObject {
    /// Writes the next rows. They have the width and the format that the sink was made for.
    /// - Throws: The error that prevented writing; the sink can't be used after that.
    func write(_ rows: borrowing PixelRows) throws(ImageError)

    /// Ends the rows. The result is incomplete before.
    func finish() throws(ImageError)
}
