public import Raster

/// Where encoded bytes come from.
public protocol ByteSource: AnyObject {
    /// How many bytes there are in all, where that is known before reading.
    var byteCount: Int? { get }

    /// Lends the bytes that come next, as many as are at hand, to `body`.
    /// - Returns: Whether there were any; `body` isn't called at the end.
    func nextBytes(_ body: (RawSpan) throws(ImageError) -> Void) throws(ImageError) -> Bool

    /// The last `count` bytes, or all when there are fewer, without moving on; nil where that can't be done.
    func suffix(_ count: Int) throws(ImageError) -> [UInt8]?
}

/// Bytes in memory as a source.
public final class ByteArraySource: ByteSource {
    private let bytes: [UInt8]
    private var position = 0

    /// Bytes lent at a time: a decoder that streams needs to keep no more than this.
    private static let pieceByteCount = 1 << 18

    /// A source of `bytes`.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// All of them.
    public var byteCount: Int? { bytes.count }

    /// Lends what comes next, without copying it.
    public func nextBytes(_ body: (RawSpan) throws(ImageError) -> Void) throws(ImageError) -> Bool {
        let (bytes, start) = (bytes, position)
        let end = min(bytes.count, start + Self.pieceByteCount)
        guard start < end else { return false }
        position = end
        try body(bytes.span.bytes.extracting(start..<end))
        return true
    }

    /// The end of them.
    ///
    /// Complexity: O(`count`); the array that `Sequence` would make of a suffix looks at every byte before it.
    public func suffix(_ count: Int) -> [UInt8]? { Array(bytes.dropFirst(max(0, bytes.count - count))) }
}
