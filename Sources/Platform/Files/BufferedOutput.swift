/// Gathers small writes to a file into large ones.
struct BufferedOutput: ~Copyable {
    let file: FileDescriptor
    private var pending: [UInt8] = []

    /// Bytes not written yet.
    private static let pieceByteCount = 1 << 17

    init(_ file: consuming FileDescriptor) {
        self.file = file
    }

    mutating func write(_ bytes: RawSpan) throws(ImageError) {
        if pending.count + bytes.byteCount > Self.pieceByteCount { try flush() }
        // Both pointers are used within the calls only.
        if bytes.byteCount >= Self.pieceByteCount {
            try bytes.withUnsafeBytes { (bytes) throws(ImageError) in try file.write(bytes) }
        } else {
            bytes.withUnsafeBytes { pending.append(contentsOf: $0) }
        }
    }

    mutating func flush() throws(ImageError) {
        // Emptied on failure too: bytes that were written in part must not be written again.
        defer { pending.removeAll(keepingCapacity: true) }
        try pending.span.bytes.withUnsafeBytes { (bytes) throws(ImageError) in try file.write(bytes) }
    }
}
