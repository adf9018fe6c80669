internal import Essentials
internal import Synchronization
internal import Tessera

/// An image's bytes from a file or a server, throttled if asked for, with their arrival times.
struct ArrivingBytes: Sendable {
    let entry: FetchEntry
    let pieceByteCount: Int
    let bytesPerSecond: Int?

    /// The path of a local file; nil for other sources.
    var path: String? { entry.url.flatMap { $0.isFileURL ? $0.path(percentEncoded: false) : nil } }

    /// The times at which the first and the last bytes arrived.
    final class Times: Sendable {
        private let state = Mutex<(first: ContinuousClock.Instant?, last: ContinuousClock.Instant?)>((nil, nil))

        var first: ContinuousClock.Instant? { state.withLock { $0.first } }
        var last: ContinuousClock.Instant? { state.withLock { $0.last } }

        fileprivate func note() {
            let now = ContinuousClock.now
            state.withLock { $0 = ($0.first ?? now, now) }
        }
    }

    /// Returns the pieces in order. They arrive independently of the consumer, as from a network, and are noted in
    /// `times`.
    func pieces(_ times: Times) -> AsyncThrowingStream<[UInt8], any Error> {
        let (stream, continuation) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        let task = Task {
            do {
                let start = ContinuousClock.now
                var byteCount = 0
                try await read { piece in
                    byteCount += piece.count
                    if let bytesPerSecond {
                        let due = start + .nanoseconds(Int64(Double(byteCount) / Double(bytesPerSecond) * 1e9))
                        try await Task.sleep(until: due, tolerance: .zero, clock: .continuous)
                    }
                    times.note()
                    continuation.yield(piece)
                }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    private func read(_ take: ([UInt8]) async throws -> Void) async throws {
        let url = try entry.loadableURL()
        if let path {
            for try await piece in try Source(path: path).chunks(ofAtMost: pieceByteCount) { try await take(piece) }
        } else {
            // A fresh pipeline without caches, so that each measurement starts at the first byte.
            for try await data in try await ImagePipeline().bytes(for: url) {
                var rest = data[...]
                while !rest.isEmpty {
                    try await take(Array(rest.prefix(pieceByteCount)))
                    rest = rest.dropFirst(pieceByteCount)
                }
            }
        }
    }
}
