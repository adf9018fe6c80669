internal import Dispatch
internal import Platform
public import Raster
internal import Synchronization

extension Source {
    /// Returns the bytes as an asynchronous sequence of pieces, which waits for those of a pipe or of a growing file.
    ///
    /// - Parameters:
    ///   - pieceByteCount: The most bytes in a piece; nil for 64 KiB, or for all bytes of a source in memory.
    ///   - isWritten: Returns whether the writer of a growing file is done. Until then, the sequence waits for more at
    ///     the end of the file, and calls this about fifty times a second.
    public func chunks(ofAtMost pieceByteCount: Int? = nil, isWritten: (@Sendable () -> Bool)? = nil) -> Chunks {
        Chunks(source: self, pieceByteCount: pieceByteCount, isWritten: isWritten, consumer: makeConsumer())
    }

    /// A source's bytes as an asynchronous sequence of pieces. Waiting doesn't block Swift's cooperative threads.
    ///
    /// Each iteration starts at the first byte; of a stream, it continues where the last one stopped.
    public struct Chunks: AsyncSequence, Sendable {
        fileprivate let source: Source
        fileprivate let pieceByteCount: Int?
        fileprivate let isWritten: (@Sendable () -> Bool)?
        fileprivate let consumer: Int

        /// Creates an iterator; reading starts with its first call of `next()`.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(chunks: self) }

        /// The iterator of a sequence of pieces.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let chunks: Chunks
            private var position = 0

            fileprivate init(chunks: Chunks) { self.chunks = chunks }

            /// Returns the next piece; nil at the end.
            /// - Throws: `inputOutput`; `cancelled` if the task is cancelled; `invalidParameter` if another consumer
            ///   has read from the stream.
            public mutating func next() async throws(ImageError) -> [UInt8]? {
                while true {
                    // Called before the file is read, so that bytes written up to then are read.
                    let isLast = chunks.isWritten?() ?? true
                    let piece = try await chunks.piece(at: position)
                    position += piece.count
                    if !piece.isEmpty { return piece }
                    if isLast { return nil }
                    do {
                        try await Task.sleep(for: .milliseconds(20))
                    } catch {
                        throw chunks.cancelled
                    }
                }
            }
        }
    }
}

extension Source.Chunks {
    /// Returns the piece at `offset`, or a stream's next piece; empty at the end.
    fileprivate func piece(at offset: Int) async throws(ImageError) -> [UInt8] {
        if let memory = source.memory {
            guard offset < memory.count else { return [] }
            guard let pieceByteCount else { return memory }
            return Array(memory[offset...].prefix(Swift.max(1, pieceByteCount)))
        }
        return try await onWaitingThread { (isWanted) throws(ImageError) in try read(at: offset, while: isWanted) }
    }

    /// Reads up to one piece. Blocks; for a stream, checks `isWanted` every 50 ms.
    private func read(at offset: Int, while isWanted: () -> Bool) throws(ImageError) -> [UInt8] {
        let byteCount = Swift.max(1, pieceByteCount ?? 1 << 16)
        if source.isStream {
            if let kept = try source.takeKept(for: consumer, upTo: byteCount) { return kept }
            var status = pollfd(fd: source.file.number, events: Int16(POLLIN), revents: 0)
            while poll(&status, 1, 50) == 0 { guard isWanted() else { throw cancelled } }
        }
        guard isWanted() else { throw cancelled }
        var bytes = [UInt8](repeating: 0, count: byteCount)
        var target = bytes.mutableSpan
        let count = try target.withUnsafeMutableBytes { (buffer) throws(ImageError) in
            source.isStream ? try source.file.read(into: buffer) : try source.fill(buffer, at: offset)
        }
        if count < byteCount { bytes.removeLast(byteCount - count) }
        return bytes
    }

    fileprivate var cancelled: ImageError { ImageError(.cancelled, "reading \(source.name) was cancelled") }

    /// Runs `work` on a thread that may block.
    private func onWaitingThread(
        _ work: @escaping @Sendable (_ isWanted: () -> Bool) throws(ImageError) -> [UInt8]
    ) async throws(ImageError) -> [UInt8] {
        let isWanted = WantedFlag()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                DispatchQueue.global(qos: .userInitiated).async {
                    continuation.resume(
                        returning: Result { () throws(ImageError) in try work { isWanted.value } })
                }
            }
        } onCancel: {
            isWanted.clear()
        }
        return try result.get()
    }

    /// A flag that cancellation clears, to stop a blocking read.
    private final class WantedFlag: Sendable {
        private let isWanted = Atomic(true)

        var value: Bool { isWanted.load(ordering: .relaxed) }

        func clear() { isWanted.store(false, ordering: .relaxed) }
    }
}
