public import Raster

/// What sessions for pictures and for animations have in common: bytes are appended as they come.
public protocol StreamingDecoder: AnyObject {
    /// What is known of the input; nil until the bytes reach that far. May become more exact, never contradict itself in
    /// size.
    var header: ImageHeader? { get }

    /// Takes the bytes that come next, in pieces of any size.
    /// - Throws: What makes the rest of the input useless. What was possible before stays so.
    func append(_ bytes: RawSpan) throws(ImageError)

    /// Says that there are no more bytes.
    func finish() throws(ImageError)
}

/// A decoding session: bytes are appended as they come, rows are pulled out as far as the bytes reach.
///
/// The order of calls: `append` until `header` is known; `start` once; `read` at any time; `append` and `read` in turn;
/// `finish` when there are no more bytes; `read` until `.end`. A session is used by one task at a time.
///
/// A session works on the picture as stored: orientation and conversion to sRGB are done by who drives it
/// (`ImageSource`, `ImageRowSource`), except that inks are converted by the session, since rows are grey or RGB.
/// What it does is bounded by the options' limits, and proportional to what is new. Bytes are kept until they are
/// decoded, and no longer.
///
/// After `append` has thrown, rows that were already possible can still be read. An input that ends too early is reported
/// by `read`, after the rows there are; `finish` throws what keeps even a header from being known.
public protocol IncrementalDecoder: StreamingDecoder {
    /// Whether pixels come sooner when all bytes are appended before the first `read`. Asked once `header` is known.
    var prefersWholeInput: Bool { get }

    /// Fixes what is decoded. Called once, when `header` is known.
    /// - Parameters:
    ///   - plan: In stored pixels. Validated by the session.
    ///   - delivery: Whether every pass is wanted or only the last.
    /// - Returns: What the rows will be: the planned size or larger, a profile that says what the values mean.
    func start(_ plan: DecodingPlan, delivery: PassDelivery) throws(ImageError) -> BitmapInfo

    /// Fills `rows`, from its first row on, with the rows that come next in the current pass.
    /// - Throws: What kept the next row from being made (`truncated` when bytes are missing after `finish`). The rows
    ///   delivered before stay good; nothing more will come.
    func read(into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery
}

extension IncrementalDecoder {
    /// Rows come as bytes do.
    public var prefersWholeInput: Bool { false }
}

/// Which passes over a picture a session delivers.
public enum PassDelivery: Hashable, Sendable {
    /// One pass, with the best that the whole input gives.
    case last
    /// Every pass as soon as its bytes are there, each over all rows; a picture of one pass is delivered row by row.
    case every
}

/// What a call to `read` brought.
public enum RowDelivery: Hashable, Sendable {
    /// This many rows, at least one.
    case rows(Int)
    /// Nothing until more bytes are appended or the input is finished.
    case needMoreData
    /// The pass is complete; the next row delivered will be the first of a later one. `count` passes are done so far.
    case passComplete(count: Int)
    /// The picture turned out to be of another kind than was said: what was delivered is void, and the rows that come
    /// next are the first of a new last pass, as described. Only with `PassDelivery.every`.
    case restart(BitmapInfo)
    /// The last pass is complete.
    case end
}
