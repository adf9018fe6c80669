internal import Platform
public import Raster

extension Source {
    /// A reader of all bytes from the first one on. A stream is read by one reader, since nothing of it is kept.
    public func reader() -> Reader { Reader(self, at: 0, keepsBytes: false) }

    /// A reader of the first bytes, which a stream keeps in memory for the next reader.
    public func headerReader() -> Reader { Reader(self, at: 0, keepsBytes: true) }

    /// A reader of the bytes from `offset` on; of a stream all that are left.
    package func reader(from offset: Int) -> Reader { Reader(self, at: offset, keepsBytes: false) }

    /// Reads a source's bytes in sequence, 256 KiB at a time. Bytes in memory are lent without being copied.
    ///
    /// Used by one task at a time. A regular file, or bytes in memory, can have any number of readers.
    public final class Reader: ByteReader {
        /// The bytes' source.
        package let source: Source
        /// The offset in the source of the byte that comes next, where the source isn't a stream.
        package private(set) var position: Int
        private let keepsBytes: Bool
        private let consumer: Int
        /// Of a stream that keeps its bytes: how many pieces were lent.
        private var pieceCount = 0
        /// Memory for what is read, allocated for the first piece; none for bytes in memory.
        private var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)

        /// Bytes read, and lent, at a time.
        private static let pieceByteCount = 1 << 18

        fileprivate init(_ source: Source, at offset: Int, keepsBytes: Bool) {
            self.source = source
            self.keepsBytes = keepsBytes
            position = max(0, offset)
            consumer = source.makeConsumer()
        }

        deinit { buffer.deallocate() }

        /// The number of bytes in all; nil for a stream.
        public var byteCount: Int? { source.byteCount }

        /// The last bytes, without moving on; nil for a stream.
        /// - Throws: `inputOutput`.
        public func suffix(_ count: Int) throws(ImageError) -> [UInt8]? { try source.suffix(count) }

        /// Reads the bytes that come next, at most 256 KiB, and lends them.
        /// - Throws: `inputOutput`, `invalidParameter` for a stream that another reader has read from, or what `body`
        ///   throws.
        public func nextBytes(_ body: (RawSpan) throws(ImageError) -> Void) throws(ImageError) -> Bool {
            if let memory = source.memory {
                let start = min(position, memory.count)
                let end = min(memory.count, start + Self.pieceByteCount)
                guard start < end else { return false }
                position = end
                try body(memory.span.bytes.extracting(start..<end))
                return true
            }
            if source.isStream, let piece = try nextKept() {
                try body(piece.span.bytes)
                return true
            }
            allocate()
            let count =
                source.isStream ? try source.file.read(into: buffer) : try source.fill(buffer, at: position)
            guard count > 0 else { return false }
            position += count
            let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            if source.isStream, keepsBytes {
                source.keep(Array(piece))
                pieceCount += 1
            }
            // The buffer lives as long as self, and only this method, which isn't reentrant, writes to it.
            try body(RawSpan(_unsafeBytes: piece))
            return true
        }

        private func nextKept() throws(ImageError) -> [UInt8]? {
            guard keepsBytes else { return try source.takeKept(for: consumer, upTo: .max) }
            guard let piece = try source.keptPiece(at: pieceCount) else { return nil }
            pieceCount += 1
            return piece
        }

        private func allocate() {
            guard buffer.baseAddress == nil else { return }
            // A page's alignment lets the system copy whole pages.
            buffer = .allocate(byteCount: Self.pieceByteCount, alignment: 4096)
        }
    }
}
