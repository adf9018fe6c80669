public import Raster

/// Reads encoded bytes in sequence, each once.
///
/// `Source.reader()` returns one. To read bytes from elsewhere, conform a class to this protocol.
public protocol ByteReader: AnyObject {
    /// The total number of bytes; nil if it isn't known in advance.
    var byteCount: Int? { get }

    /// Lends the next bytes, as many as are available, to `body`.
    /// - Returns: False at the end, where `body` isn't called.
    func nextBytes(_ body: (RawSpan) throws(ImageError) -> Void) throws(ImageError) -> Bool

    /// Returns the last `count` bytes, or all if there are fewer, without advancing; nil if the reader can't seek.
    func suffix(_ count: Int) throws(ImageError) -> [UInt8]?
}
