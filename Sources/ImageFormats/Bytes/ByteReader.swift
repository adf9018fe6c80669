public import Raster

/// Encoded bytes in sequence, each delivered once.
///
/// `Source.reader()` makes one; a program whose bytes come from somewhere else conforms a class of its own.
public protocol ByteReader: AnyObject {
    /// The number of bytes in all, where it is known before reading.
    var byteCount: Int? { get }

    /// Lends the bytes that come next, as many as are at hand, to `body`.
    /// - Returns: Whether there were any; `body` isn't called at the end.
    func nextBytes(_ body: (RawSpan) throws(ImageError) -> Void) throws(ImageError) -> Bool

    /// The last `count` bytes, or all when there are fewer, without moving on; nil where that can't be done.
    func suffix(_ count: Int) throws(ImageError) -> [UInt8]?
}
