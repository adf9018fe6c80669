internal import Platform
public import Raster

extension Source {
    /// Returns a reader from the first byte on. A stream supports only one, since its bytes aren't kept.
    public func reader() -> Reader { Reader(self, at: 0, keepsBytes: false) }

    /// Returns a reader of the first bytes, which a stream keeps in memory for the next reader.
    public func headerReader() -> Reader { Reader(self, at: 0, keepsBytes: true) }

    /// Returns a reader from `offset` on; of a stream, from the next byte on.
    package func reader(from offset: Int) -> Reader { Reader(self, at: offset, keepsBytes: false) }

    /// Reads a source's bytes in sequence: 64 KiB, which have the header of most images, then 256 KiB at a time. Bytes in
    /// memory aren't copied.
    ///
    /// Use it from one task at a time. A regular file, or bytes in memory, can have any number of readers.
    public final class Reader: ByteReader {
        /// The source of the bytes.
        package let source: Source
        /// The source's offset of the next byte; not meaningful for a stream.
        package private(set) var position: Int
        private let keepsBytes: Bool
        private let consumer: Int
        /// The number of pieces lent, for a stream that keeps its bytes.
        private var pieceCount = 0
        /// The buffer for reading, allocated for the first piece; not used for bytes in memory.
        private var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)

        /// The most bytes that are read and lent next. Often only the header is wanted: for the image's size, and by decoders
        /// that read the rest in place.
        private var pieceByteCount = 1 << 16
        private static let largestPieceByteCount = 1 << 18

        fileprivate init(_ source: Source, at offset: Int, keepsBytes: Bool) {
            self.source = source
            self.keepsBytes = keepsBytes
            position = max(0, offset)
            consumer = source.makeConsumer()
        }

        deinit { buffer.deallocate() }

        /// The source, if the next byte is its first; nil otherwise.
        var wholeSource: Source? { position == 0 ? source : nil }

        /// The total number of bytes; nil for a stream.
        public var byteCount: Int? { source.byteCount }

        /// Returns the last bytes without advancing; nil for a stream.
        /// - Throws: `inputOutput`.
        public func suffix(_ count: Int) throws(ImageError) -> [UInt8]? { try source.suffix(count) }

        /// Reads the next bytes, at most 256 KiB, and lends them to `body`.
        /// - Throws: `inputOutput`, `invalidParameter` if another reader has read from the stream, any error of `body`.
        public func nextBytes(_ body: (RawSpan) throws(ImageError) -> Void) throws(ImageError) -> Bool {
            let pieceByteCount = pieceByteCount
            self.pieceByteCount = Self.largestPieceByteCount
            if let memory = source.memory {
                let start = min(position, memory.count)
                let end = min(memory.count, start + pieceByteCount)
                guard start < end else { return false }
                position = end
                try body(memory.span.bytes.extracting(start..<end))
                return true
            }
            if source.isStream, let piece = try nextKept() {
                try body(piece.span.bytes)
                return true
            }
            allocate(pieceByteCount)
            let count =
                source.isStream ? try source.file.read(into: buffer) : try source.fillSome(buffer, at: position)
            guard count > 0 else { return false }
            position += count
            let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            if source.isStream, keepsBytes {
                source.keep(Array(piece))
                pieceCount += 1
            }
            // The buffer lives as long as self. Only this method, which isn't reentrant, writes to it.
            try body(RawSpan(_unsafeBytes: piece))
            return true
        }

        private func nextKept() throws(ImageError) -> [UInt8]? {
            guard keepsBytes else { return try source.takeKept(for: consumer, upTo: .max) }
            guard let piece = try source.keptPiece(at: pieceCount) else { return nil }
            pieceCount += 1
            return piece
        }

        private func allocate(_ byteCount: Int) {
            guard buffer.count < byteCount else { return }
            buffer.deallocate()
            // A page's alignment lets the system copy whole pages.
            buffer = .allocate(byteCount: byteCount, alignment: 4096)
        }
    }
}
