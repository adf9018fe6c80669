public import Raster

/// Where encoded bytes go.
public protocol ByteSink: AnyObject {
    /// Takes the bytes that come next.
    func write(_ bytes: RawSpan) throws(ImageError)
}

extension ByteSink {
    /// Takes the bytes that come next.
    public func write(_ bytes: [UInt8]) throws(ImageError) { try write(bytes.span.bytes) }
}

/// Collects encoded bytes in memory.
public final class ByteBuffer: ByteSink {
    /// What was written so far.
    public private(set) var bytes: [UInt8] = []

    /// An empty buffer.
    public init() {}

    /// Appends.
    public func write(_ bytes: RawSpan) {
        // The pointer is used within the call only.
        bytes.withUnsafeBytes { self.bytes.append(contentsOf: $0) }
    }
}
