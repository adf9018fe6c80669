public import Raster

/// The common part of decoders for images and for animations: input that arrives over time.
public protocol StreamingDecoder: AnyObject {
    /// The input's header; nil until it has arrived. It may become more exact later, but its size never changes.
    var header: ImageHeader? { get }

    /// Appends the next bytes, in a piece of any size.
    /// - Throws: The error that makes the rest of the input unusable. Everything decodable before stays so.
    func append(_ bytes: RawSpan) throws(ImageError)

    /// Ends the input.
    func finish() throws(ImageError)
}

/// Decodes an image's rows while its bytes are appended.
///
/// Call `append` until `header` is known, then `start` once. After that, `read` works at any time, alternating with
/// `append`. Call `finish` after the last byte, then `read` until it returns `.end`. Use it from one task at a time.
///
/// A decoder delivers the image as stored. The caller (`ImageSource`, `ImageRowSource`) applies the orientation and
/// converts to sRGB. Only CMYK is converted by the decoder, since rows are grey or RGB, and a base in high dynamic range
/// whose gain map leads to the standard range that the options ask for. Memory and time are bounded by
/// the options' limits, and the work of a call by the new bytes. Bytes are kept only until they are decoded.
///
/// After `append` has thrown, rows that were already decodable can still be read. For truncated input, `read` throws
/// after the available rows; `finish` throws only if the header is missing.
public protocol IncrementalDecoder: StreamingDecoder {
    /// Whether decoding is faster if all bytes are appended before the first `read`. Valid once `header` is known.
    var prefersWholeInput: Bool { get }

    /// Prepares to decode a part at a scale. Called once, when `header` is known.
    /// - Parameters:
    ///   - plan: The part and size, in stored pixels. The decoder validates it.
    ///   - delivery: The passes to deliver.
    /// - Returns: The format of the rows: the planned size or larger, and the profile of their values.
    func start(_ plan: DecodingPlan, delivery: PassDelivery) throws(ImageError) -> BitmapInfo

    /// Fills `rows`, from its first row on, with the next rows of the current pass.
    /// - Throws: The error that makes the next row undecodable: `truncated` if bytes are missing after `finish`. Rows
    ///   delivered before stay valid; none follow.
    func read(into rows: inout MutablePixelRows) throws(ImageError) -> RowDelivery
}

extension IncrementalDecoder {
    /// False by default: rows are decoded as their bytes arrive.
    public var prefersWholeInput: Bool { false }
}

/// A decoder that can read some files from their source, without keeping their bytes.
protocol SourceReadingDecoder: IncrementalDecoder {
    /// The source whose first bytes are appended; set before `start`. The decoder may read the others from it, at any
    /// offset. Those that it needs in sequence it requests as others do.
    var source: Source? { get set }
}

/// The passes over an image that a decoder delivers.
public enum PassDelivery: Hashable, Sendable {
    /// One pass, in the best quality of the whole input.
    case last
    /// Every pass as soon as its bytes have arrived, each over all rows; of several that arrive together, the last may stand
    /// for all. An image of one pass is delivered row by row.
    case every
}

/// The result of a call to `IncrementalDecoder.read(into:)`.
public enum RowDelivery: Hashable, Sendable {
    /// The number of rows delivered, at least one.
    case rows(Int)
    /// No rows until more bytes are appended or the input is finished.
    case needMoreData
    /// The end of a pass; the next row is the first of a later one. `count` passes are complete.
    case passComplete(count: Int)
    /// The format has changed: earlier rows are invalid, and the next rows are the first of a new last pass in the
    /// format given. Only with `PassDelivery.every`.
    case restart(BitmapInfo)
    /// The end of the last pass.
    case end
}
