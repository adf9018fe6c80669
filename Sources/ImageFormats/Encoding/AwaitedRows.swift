internal import Raster

/// The rows that an encoder of one picture still waits for.
struct AwaitedRows {
    private let info: BitmapInfo
    private let format: ImageFormat
    /// How many; the encoder takes off what it has written.
    var count: Int

    /// All rows of a picture that is written in `format`.
    init(_ info: BitmapInfo, in format: ImageFormat) {
        self.info = info
        self.format = format
        count = info.size.height
    }

    /// - Throws: `invalidParameter` for rows of another kind, or more than there are.
    func check(_ rows: borrowing PixelRows) throws(ImageError) {
        guard rows.format == info.format, rows.width == info.size.width, rows.count <= count else {
            throw ImageError(.invalidParameter, "rows that don't fit the \(format) being written")
        }
    }

    /// - Throws: `invalidParameter` where there are any.
    func checkNone() throws(ImageError) {
        guard count == 0 else { throw ImageError(.invalidParameter, "\(count) rows of the \(format) were not written") }
    }
}
