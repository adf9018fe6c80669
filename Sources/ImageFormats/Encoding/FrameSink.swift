public import Raster

/// A destination for whole images, which become the frames or pages of one file.
public protocol FrameSink: AnyObject {
    /// Writes the next image.
    /// - Parameter duration: The display time in seconds; ignored by formats with pages.
    /// - Throws: Any error of the encoder or output. The sink can't be used after that.
    func write(_ frame: Bitmap, duration: Double) throws(ImageError)

    /// Completes the file after the last image. The file is incomplete until then.
    /// - Throws: `invalidParameter` if fewer images were written than announced.
    func finish() throws(ImageError)
}

/// Counts the rows that an encoder of one image still expects.
struct RemainingRows {
    private let info: BitmapInfo
    private let format: ImageFormat
    /// The number of missing rows; the encoder subtracts those it has written.
    var count: Int

    /// All rows of an image to be written in `format`.
    init(_ info: BitmapInfo, in format: ImageFormat) {
        self.info = info
        self.format = format
        count = info.size.height
    }

    /// - Throws: `invalidParameter` for rows of another width or pixel format, or too many rows.
    func check(_ rows: borrowing PixelRows) throws(ImageError) {
        guard rows.format == info.format, rows.width == info.size.width, rows.count <= count else {
            throw ImageError(.invalidParameter, "rows that don't fit the \(format) being written")
        }
    }

    /// - Throws: `invalidParameter` if any rows are missing.
    func checkNone() throws(ImageError) {
        guard count == 0 else { throw ImageError(.invalidParameter, "\(count) rows of the \(format) were not written") }
    }
}

/// Passes rows on as they arrive.
final class CountedRowSink: RowSink {
    private var remaining: RemainingRows
    private let take: (borrowing PixelRows) throws(ImageError) -> Void
    private let end: () throws(ImageError) -> Void

    /// A sink for the rows in `remaining`, which calls `end` after the last one.
    init(
        _ remaining: RemainingRows, take: @escaping (borrowing PixelRows) throws(ImageError) -> Void,
        end: @escaping () throws(ImageError) -> Void
    ) {
        self.remaining = remaining
        self.take = take
        self.end = end
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) {
        try remaining.check(rows)
        try take(rows)
        remaining.count -= rows.count
    }

    func finish() throws(ImageError) {
        try remaining.checkNone()
        try end()
    }
}

/// Counts the images that an encoder of several still expects.
struct RemainingFrames {
    private let info: BitmapInfo?
    private let format: ImageFormat
    /// The number of images announced.
    let total: Int
    /// The number of images written.
    private(set) var taken = 0

    /// Expects `count` images of a file in `format`, each matching `info` unless that is nil.
    /// - Throws: `invalidParameter` for a count outside `range`.
    init(
        _ count: Int, of info: BitmapInfo? = nil, in format: ImageFormat, range: ClosedRange<Int> = 1...Int.max
    ) throws(ImageError) {
        guard range.contains(count) else {
            throw ImageError(.invalidParameter, "\(format) files can't have \(count) images")
        }
        self.info = info
        self.format = format
        total = count
    }

    /// Counts an image.
    /// - Throws: `invalidParameter` for an image that doesn't match, or one more than announced.
    mutating func take(_ frame: Bitmap) throws(ImageError) {
        guard info == nil || frame.info == info else {
            throw ImageError(.invalidParameter, "an image of another kind than the \(format) file's others")
        }
        guard taken < total else { throw ImageError(.invalidParameter, "more than the \(total) images announced") }
        taken += 1
    }

    /// - Throws: `invalidParameter` if images are missing.
    func checkNone() throws(ImageError) {
        guard taken == total else {
            throw ImageError(.invalidParameter, "\(taken) images of the \(format) file's \(total) were written")
        }
    }
}

/// Passes on each image of a sequence with its index as it arrives.
final class CountedFrameSink: FrameSink {
    private var remaining: RemainingFrames
    private let take: (_ frame: Bitmap, _ duration: Double, _ index: Int) throws(ImageError) -> Void
    private let end: () throws(ImageError) -> Void

    /// A sink for the images in `remaining`, which calls `end` after the last one.
    init(
        _ remaining: RemainingFrames, take: @escaping (Bitmap, Double, Int) throws(ImageError) -> Void,
        end: @escaping () throws(ImageError) -> Void = {}
    ) {
        self.remaining = remaining
        self.take = take
        self.end = end
    }

    func write(_ frame: Bitmap, duration: Double) throws(ImageError) {
        // A frame that is refused isn't counted.
        var next = remaining
        try next.take(frame)
        try take(frame, duration, remaining.taken)
        remaining = next
    }

    func finish() throws(ImageError) {
        try remaining.checkNone()
        try end()
    }
}

/// Collects the rows of an image that can only be encoded as a whole.
final class CollectingSink: RowSink {
    private let picture: BitmapSink
    private let encode: (Bitmap) throws(ImageError) -> Void

    /// A sink for rows of `info`, which calls `encode` with the image once it is complete.
    init(_ info: BitmapInfo, encode: @escaping (Bitmap) throws(ImageError) -> Void) throws(ImageError) {
        picture = try BitmapSink(info)
        self.encode = encode
    }

    func write(_ rows: borrowing PixelRows) throws(ImageError) { try picture.write(rows) }

    func finish() throws(ImageError) {
        try picture.finish()
        if let bitmap = picture.result { try encode(bitmap) }
    }
}
