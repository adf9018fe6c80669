/// A destination of encoded bytes.
public protocol ByteSink: AnyObject {
    /// Announces the file's length before its first byte, so that a buffer in memory can be allocated once.
    /// A hint only: more or fewer bytes may be written.
    func reserveCapacity(_ byteCount: Int)

    /// Writes the next bytes.
    func write(_ bytes: RawSpan) throws(ImageError)
}

extension ByteSink {
    /// Does nothing: a file on disk grows without being copied.
    public func reserveCapacity(_ byteCount: Int) {}

    /// Writes the next bytes.
    public func write(_ bytes: some Sequence<UInt8>) throws(ImageError) {
        let bytes = Array(bytes)
        try write(bytes.span.bytes)
    }
}

/// Collects encoded bytes in memory.
public final class ByteBuffer: ByteSink {
    /// All bytes written so far.
    public private(set) var bytes: [UInt8] = []

    /// An empty buffer.
    public init() {}

    /// Reserves memory for `byteCount` bytes in all.
    public func reserveCapacity(_ byteCount: Int) {
        bytes.reserveCapacity(byteCount)
        guard byteCount >= HugePages.byteCount else { return }
        // An array allocates its whole reservation; the advice only concerns the pages behind it.
        bytes.withUnsafeMutableBytes {
            HugePages.advise(UnsafeMutableRawBufferPointer(start: $0.baseAddress, count: byteCount))
        }
    }

    /// Appends `bytes`.
    public func write(_ bytes: RawSpan) {
        // The pointer is used within the call only.
        bytes.withUnsafeBytes { self.bytes.append(contentsOf: $0) }
    }
}
