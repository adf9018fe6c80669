internal import Essentials
internal import Raster
internal import Synchronization

/// Streams the bytes of a request; each piece is loaded after the reader has received the one before.
struct StreamedBytes: Sendable {
    let loader: ImageLoader
    let request: ImageRequest
    let url: URL
    let key: DataCacheKey

    /// The server has a different version than that of the bytes already delivered.
    static let changed = ImagePipeline.Error.dataLoadingFailed(
        ImageError(.inputOutput, "the image has changed while it was loaded"))

    /// The maximum length for the disk cache, since the bytes must be held in memory for it.
    private static let maximumKeptByteCount = 64 << 20

    var chunks: DataChunks {
        DataChunks {
            let channel = UnbufferedChannel<Data>()
            let task = Task {
                do {
                    try await deliver(to: channel)
                    channel.finish(.success(()))
                } catch {
                    channel.finish(.failure(ImagePipeline.Error(error)))
                }
            }
            let end = EndOfReading {
                task.cancel()
                channel.close()
            }
            return {
                try await withTaskCancellationHandler {
                    try await channel.next()
                } onCancel: {
                    end.reach()
                }
            }
        }
    }

    private func deliver(to channel: UnbufferedChannel<Data>) async throws {
        var kept: Data? = Data()
        var response: DataResponse?
        var count = 0
        try await loader.fetcher.fetch(
            DataRequest(url: url, headers: request.headers), conditionalOn: nil
        ) { event in
            switch event {
            case .response(let new): response = new
            case .restart: if count > 0 { throw Self.changed }
            case .data(let piece):
                count += piece.count
                if count > Self.maximumKeptByteCount { kept = nil }
                kept?.append(piece)
                try await channel.send(piece)
            }
        }
        guard let kept, !kept.isEmpty, let cache = loader.writes(request) else { return }
        await loader.store(
            DataOutput(data: kept, response: response, source: .network, metadata: loader.metadata(of: response)),
            of: request, in: cache, key)
    }

    /// Streams the bytes of a shared job, from the first one on.
    static func joined(
        _ inbox: DataInbox, _ graph: JobGraph, _ subscription: JobGraph.Subscription
    ) -> DataChunks {
        DataChunks {
            let end = EndOfReading { graph.unsubscribe(subscription) }
            var (count, restartCount, isOver) = (0, 0, false)
            return {
                while !isOver {
                    let item = try await withTaskCancellationHandler {
                        try await inbox.next()
                    } onCancel: {
                        inbox.finish(.failure(CancellationError()))
                    }
                    let data: Data
                    switch item {
                    case .final(let output):
                        data = output.data
                        isOver = true
                    case .partial(let feed):
                        let prefix = feed.prefix()
                        data = prefix.data
                        guard prefix.restartCount == restartCount || count == 0 else { throw changed }
                        restartCount = prefix.restartCount
                    }
                    // Bytes already delivered can't be replaced.
                    guard data.count >= count else { throw changed }
                    guard data.count > count else { continue }
                    defer { count = data.count }
                    return data[(data.startIndex + count)...]
                }
                return withExtendedLifetime(end) { nil }
            }
        }
    }

    /// Ends the loading when the reader is cancelled or released.
    private final class EndOfReading: Sendable {
        let reach: @Sendable () -> Void

        init(_ reach: @escaping @Sendable () -> Void) { self.reach = reach }

        deinit { reach() }
    }
}

/// A channel without a buffer: a sender waits until the receiver has taken its value.
final class UnbufferedChannel<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var end: Result<Void, any Error>?
        var isClosed = false
        var sender: CheckedContinuation<Void, any Error>?
        var receiver: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Sends `value`; returns when it has been received.
    /// - Throws: `CancellationError` if the receiver has closed the channel.
    func send(_ value: Value) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let (isClosed, receiver) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
                guard !state.isClosed else { return (true, nil) }
                state.value = value
                state.sender = continuation
                defer { state.receiver = nil }
                return (false, state.receiver)
            }
            if isClosed { continuation.resume(throwing: CancellationError()) }
            receiver?.resume()
        }
    }

    /// Ends the sequence, or ends it with an error.
    func finish(_ result: Result<Void, any Error>) {
        let receiver = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.end == nil { state.end = result }
            defer { state.receiver = nil }
            return state.receiver
        }
        receiver?.resume()
    }

    /// Closes the receiver's end.
    func close() {
        let (sender, receiver) = state.withLock { state in
            state.isClosed = true
            state.value = nil
            if state.end == nil { state.end = .failure(CancellationError()) }
            defer { (state.sender, state.receiver) = (nil, nil) }
            return (state.sender, state.receiver)
        }
        sender?.resume(throwing: CancellationError())
        receiver?.resume()
    }

    /// Receives the next value; nil at the end. Only one caller at a time.
    func next() async throws -> Value? {
        while true {
            let (known, sender) = state.withLock {
                state -> (Result<Value?, any Error>?, CheckedContinuation<Void, any Error>?) in
                if let value = state.value {
                    defer { (state.value, state.sender) = (nil, nil) }
                    return (.success(value), state.sender)
                }
                return (state.end.map { $0.map { nil } }, nil)
            }
            sender?.resume()
            if let known { return try known.get() }
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    guard state.value == nil, state.end == nil else { return true }
                    state.receiver = continuation
                    return false
                }
                if isThere { continuation.resume() }
            }
        }
    }
}
