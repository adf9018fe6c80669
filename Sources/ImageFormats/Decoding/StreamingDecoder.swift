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
