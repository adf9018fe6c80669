/// Where encoded bytes go.
public protocol ByteSink: AnyObject {
    /// Announces the length of the file before its first byte, so that bytes in memory needn't be moved while they grow.
    /// A hint: it changes nothing about what may be written.
    func reserveCapacity(_ byteCount: Int)

    /// Takes the bytes that come next.
    func write(_ bytes: RawSpan) throws(ImageError)
}

extension ByteSink {
    /// Does nothing: a file on disk grows without being moved.
    public func reserveCapacity(_ byteCount: Int) {}

    /// Takes the bytes that come next.
    public func write(_ bytes: some Sequence<UInt8>) throws(ImageError) {
        let bytes = Array(bytes)
        try write(bytes.span.bytes)
    }
}

/// Collects encoded bytes in memory.
public final class ByteBuffer: ByteSink {
    /// What was written so far.
    public private(set) var bytes: [UInt8] = []

    /// An empty buffer.
    public init() {}

    /// Makes room for `byteCount` bytes in all.
    public func reserveCapacity(_ byteCount: Int) {
        bytes.reserveCapacity(byteCount)
        guard byteCount >= HugePages.byteCount else { return }
        // An array reserves whole what it is told to; the advice changes nothing about the memory but its pages.
        bytes.withUnsafeMutableBytes {
            HugePages.advise(UnsafeMutableRawBufferPointer(start: $0.baseAddress, count: byteCount))
        }
    }

    /// Appends.
    public func write(_ bytes: RawSpan) {
        // The pointer is used within the call only.
        bytes.withUnsafeBytes { self.bytes.append(contentsOf: $0) }
    }
}
