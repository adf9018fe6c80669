internal import Essentials
internal import Synchronization

/// Receives the images of a job.
typealias ImageInbox = Inbox<ImageOutput, ImageOutput>
/// Receives the bytes of a job.
typealias DataInbox = Inbox<DataFeed, DataOutput>

/// Receives a job's results for one reader. A newer partial result replaces an unread one.
final class Inbox<Partial: Sendable, Final: Sendable>: Sendable {
    enum Item: Sendable {
        /// A partial result; better ones follow.
        case partial(Partial)
        case final(Final)
    }

    private struct State {
        var partial: Partial?
        var final: Result<Final, any Error>?
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Sends a partial result.
    /// - Returns: The replaced value, for the caller to release outside of locks.
    @discardableResult
    func send(_ value: Partial) -> Partial? {
        let (old, waiter) = state.withLock { state -> (Partial?, CheckedContinuation<Void, Never>?) in
            guard state.final == nil else { return (nil, nil) }
            defer {
                state.partial = value
                state.waiter = nil
            }
            return (state.partial, state.waiter)
        }
        waiter?.resume()
        return old
    }

    /// Sends the final result, or the error.
    func finish(_ result: Result<Final, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.final == nil else { return nil }
            state.final = result
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Waits for the next result. Only one caller at a time; not after the final result.
    func next() async throws -> Item {
        while true {
            let known = state.withLock { state -> Result<Item, any Error>? in
                // The final result supersedes unread partial ones.
                if let final = state.final { return final.map { .final($0) } }
                guard let partial = state.partial else { return nil }
                state.partial = nil
                return .success(.partial(partial))
            }
            if let known { return try known.get() }
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    guard state.final == nil, state.partial == nil else { return true }
                    state.waiter = continuation
                    return false
                }
                if isThere { continuation.resume() }
            }
        }
    }

    func last() async throws -> Final {
        while true {
            if case .final(let value) = try await next() { return value }
        }
    }
}

/// An image or preview made by a job.
struct ImageOutput: Sendable {
    var container: ImageContainer
    var urlResponse: DataResponse?
    var source: ImageResponse.Source
    /// Whether some of the work was started for another request.
    var isJoined = false
    var stages: [ImageTaskMetrics.Stage] = []
    var byteCount = 0
}

/// The bytes loaded by a job.
struct DataOutput: Sendable {
    var data: Data
    var response: DataResponse?
    var source: ImageResponse.Source
    var metadata: DataCacheMetadata?
    /// Whether the server confirmed the cached version; `data` is then empty.
    var isUnchanged = false
    var isJoined = false
    var stages: [ImageTaskMetrics.Stage] = []
    var byteCount = 0
    /// Counts the bytes as undecoded until this is released.
    var undecoded: UndecodedBytes?
}

/// The bytes of a download in progress, for several readers that each read all bytes at their own pace.
///
/// New bytes are collected in pieces until the next read, so that they aren't copied for each piece.
final class DataFeed: Sendable {
    private struct State {
        var gathered = Data()
        var pieces: [Data] = []
        var response: DataResponse?
        /// The number of restarts of the download.
        var restartCount = 0
    }

    private let state = Mutex(State())

    func setResponse(_ response: DataResponse) {
        state.withLock { $0.response = response }
    }

    func append(_ piece: Data) {
        state.withLock { $0.pieces.append(piece) }
    }

    /// Discards all bytes; the download starts over.
    func restart() {
        state.withLock { state in
            state.gathered = Data()
            state.pieces = []
            state.restartCount += 1
        }
    }

    /// All bytes so far, their response, and the number of restarts.
    func prefix() -> (data: Data, response: DataResponse?, restartCount: Int) {
        state.withLock { state in
            if state.gathered.isEmpty, state.pieces.count == 1 {
                state.gathered = state.pieces[0]
            } else if !state.pieces.isEmpty {
                let count = state.pieces.reduce(state.gathered.count) { $0 + $1.count }
                // A reallocation doubles the capacity, so each byte moves a bounded number of times.
                state.gathered.reserveCapacity(count)
                for piece in state.pieces { state.gathered.append(piece) }
            }
            state.pieces.removeAll(keepingCapacity: true)
            return (state.gathered, state.response, state.restartCount)
        }
    }
}
