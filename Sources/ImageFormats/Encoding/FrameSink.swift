public import Raster

/// Where whole pictures are pushed to, to become the frames or pages of one file.
public protocol FrameSink: AnyObject {
    /// Takes the picture that comes next.
    /// - Parameter duration: How long it is shown, in seconds; a format of pages leaves it aside.
    /// - Throws: What kept it from being taken; the sink is of no more use then.
    func write(_ frame: Bitmap, duration: Double) throws(ImageError)

    /// Says that the last picture was written. Nothing is complete before.
    /// - Throws: `invalidParameter` when there were fewer pictures than announced.
    func finish() throws(ImageError)
}

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
