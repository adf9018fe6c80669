internal import Essentials
internal import Synchronization

/// Where the pictures of a job arrive for one that waits for them.
typealias ImageInbox = Inbox<ImageOutput, ImageOutput>
/// Where the bytes of a job arrive for one that waits for them.
typealias DataInbox = Inbox<DataFeed, DataOutput>

/// Where a job's results arrive for one that waits for them: the newest takes the place of those not yet looked at.
final class Inbox<Partial: Sendable, Final: Sendable>: Sendable {
    enum Item: Sendable {
        /// Something that will be followed by something better.
        case partial(Partial)
        case final(Final)
    }

    private struct State {
        var partial: Partial?
        var final: Result<Final, any Error>?
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Puts something in.
    /// - Returns: What it took the place of, for the caller to let go where no lock is held.
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

    /// Puts in the last thing, or the reason that there is none.
    func finish(_ result: Result<Final, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.final == nil else { return nil }
            state.final = result
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// What arrived, when something has. For one caller at a time; not after the last.
    func next() async throws -> Item {
        while true {
            let known = state.withLock { state -> Result<Item, any Error>? in
                // Partial results are of no use to anybody once there is the final one.
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

/// A picture that a job made, or a preview of it, and how.
struct ImageOutput: Sendable {
    var container: ImageContainer
    var urlResponse: DataResponse?
    var source: ImageResponse.Source
    /// Whether some of the work had been begun for somebody else.
    var isJoined = false
    var stages: [ImageTaskMetrics.Stage] = []
    var byteCount = 0
}

/// Bytes that a job got, and how.
struct DataOutput: Sendable {
    var data: Data
    var response: DataResponse?
    var source: ImageResponse.Source
    var metadata: DataCacheMetadata?
    /// Whether the server said that what is cached is still right; there are no bytes then.
    var isUnchanged = false
    var isJoined = false
    var stages: [ImageTaskMetrics.Stage] = []
    var byteCount = 0
    /// Counts the bytes until they are decoded.
    var undecoded: UndecodedBytes?
}

/// Bytes that are arriving, for several who look at them from the beginning, each when it has time.
///
/// While somebody works on the bytes so far, new ones wait in pieces, so that they aren't copied with each piece.
final class DataFeed: Sendable {
    private struct State {
        var gathered = Data()
        var pieces: [Data] = []
        var response: DataResponse?
        /// How often the bytes began anew.
        var restartCount = 0
    }

    private let state = Mutex(State())

    func setResponse(_ response: DataResponse) {
        state.withLock { $0.response = response }
    }

    func append(_ piece: Data) {
        state.withLock { $0.pieces.append(piece) }
    }

    /// Drops all bytes: others will come.
    func restart() {
        state.withLock { state in
            state.gathered = Data()
            state.pieces = []
            state.restartCount += 1
        }
    }

    /// All bytes so far, what was said of them, and how often they began anew.
    func prefix() -> (data: Data, response: DataResponse?, restartCount: Int) {
        state.withLock { state in
            if state.gathered.isEmpty, state.pieces.count == 1 {
                state.gathered = state.pieces[0]
            } else if !state.pieces.isEmpty {
                let count = state.pieces.reduce(state.gathered.count) { $0 + $1.count }
                // Twice as much where it has to move: each byte is moved a bounded number of times.
                state.gathered.reserveCapacity(count)
                for piece in state.pieces { state.gathered.append(piece) }
            }
            state.pieces.removeAll(keepingCapacity: true)
            return (state.gathered, state.response, state.restartCount)
        }
    }
}
