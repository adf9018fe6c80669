internal import Dispatch
internal import Platform
public import Raster
internal import Synchronization

extension Source {
    /// The bytes piece by piece, for a task that waits for them: those of a pipe, or of a file that is still being
    /// written, as they come.
    ///
    /// - Parameters:
    ///   - pieceByteCount: The largest number of bytes in a piece; nil for 64 KiB, and for all at once in memory.
    ///   - isWritten: For a file that grows: whether its writer is done. At its end more is awaited until this is so.
    ///     Asked some fifty times a second.
    public func chunks(ofAtMost pieceByteCount: Int? = nil, isWritten: (@Sendable () -> Bool)? = nil) -> Chunks {
        Chunks(source: self, pieceByteCount: pieceByteCount, isWritten: isWritten, consumer: makeConsumer())
    }

    /// A source's bytes, piece by piece. Waiting for them takes no thread of Swift's own.
    ///
    /// Each iteration of a stream reads on from where the last one stood; of all else it begins at the first byte.
    public struct Chunks: AsyncSequence, Sendable {
        fileprivate let source: Source
        fileprivate let pieceByteCount: Int?
        fileprivate let isWritten: (@Sendable () -> Bool)?
        fileprivate let consumer: Int

        /// Begins to read.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(chunks: self) }

        /// Reads the pieces one after the other.
        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate let chunks: Chunks
            private var position = 0

            fileprivate init(chunks: Chunks) { self.chunks = chunks }

            /// The piece that comes next; nil at the end.
            /// - Throws: `inputOutput`; `cancelled` when the task is; `invalidParameter` for a stream that was read
            ///   otherwise.
            public mutating func next() async throws(ImageError) -> [UInt8]? {
                while true {
                    // Asked before the file is read: what is written until then is seen.
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
    /// The piece at `offset`, or of a stream the one that comes next; empty at the end.
    fileprivate func piece(at offset: Int) async throws(ImageError) -> [UInt8] {
        if let memory = source.memory {
            guard offset < memory.count else { return [] }
            guard let pieceByteCount else { return memory }
            return Array(memory[offset...].prefix(Swift.max(1, pieceByteCount)))
        }
        return try await onWaitingThread { (isWanted) throws(ImageError) in try read(at: offset, while: isWanted) }
    }

    /// Reads up to a piece. Blocks, but for a stream looks up now and then whether it still should.
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

    /// Has a thread that may block do `work`.
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

    /// Whether the bytes that are being waited for are still wanted.
    private final class WantedFlag: Sendable {
        private let isWanted = Atomic(true)

        var value: Bool { isWanted.load(ordering: .relaxed) }

        func clear() { isWanted.store(false, ordering: .relaxed) }
    }
}
