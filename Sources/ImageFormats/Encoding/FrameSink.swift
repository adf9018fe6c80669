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
struct RemainingRows {
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

/// Hands rows on as they come.
final class CountedRowSink: RowSink {
    private var remaining: RemainingRows
    private let take: (borrowing PixelRows) throws(ImageError) -> Void
    private let end: () throws(ImageError) -> Void

    /// A sink for the rows in `remaining`, which calls `end` behind the last.
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

/// The pictures that an encoder of several still waits for.
struct RemainingFrames {
    private let info: BitmapInfo?
    private let format: ImageFormat
    /// How many there are in all.
    let total: Int
    /// How many were taken.
    private(set) var taken = 0

    /// `count` pictures of a file in `format`, each as `info` says, unless that is nil.
    /// - Throws: `invalidParameter` for a number outside `range`.
    init(
        _ count: Int, of info: BitmapInfo? = nil, in format: ImageFormat, range: ClosedRange<Int> = 1...Int.max
    ) throws(ImageError) {
        guard range.contains(count) else {
            throw ImageError(.invalidParameter, "\(format) files can't have \(count) pictures")
        }
        self.info = info
        self.format = format
        total = count
    }

    /// Counts a picture.
    /// - Throws: `invalidParameter` for one of another kind, and for one more than announced.
    mutating func take(_ frame: Bitmap) throws(ImageError) {
        guard info == nil || frame.info == info else {
            throw ImageError(.invalidParameter, "a picture of another kind than the \(format) file's others")
        }
        guard taken < total else { throw ImageError(.invalidParameter, "more than the \(total) pictures announced") }
        taken += 1
    }

    /// - Throws: `invalidParameter` where pictures are missing.
    func checkNone() throws(ImageError) {
        guard taken == total else {
            throw ImageError(.invalidParameter, "\(taken) pictures of the \(format) file's \(total) were written")
        }
    }
}

/// Hands each picture of a file of several on as it comes, by its number.
final class CountedFrameSink: FrameSink {
    private var remaining: RemainingFrames
    private let take: (_ frame: Bitmap, _ duration: Double, _ index: Int) throws(ImageError) -> Void
    private let end: () throws(ImageError) -> Void

    /// A sink for the pictures in `remaining`, which calls `end` behind the last.
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

/// Keeps the rows of a picture that can only be encoded as a whole.
final class CollectingSink: RowSink {
    private let picture: BitmapSink
    private let encode: (Bitmap) throws(ImageError) -> Void

    /// A sink for rows of `info`, which has `encode` write the picture when the last one is there.
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
