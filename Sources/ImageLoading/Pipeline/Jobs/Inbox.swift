internal import Synchronization

/// Where the pictures of a job arrive for one that waits for them.
typealias ImageInbox = Inbox<ImageOutput, ImageOutput>
/// Where the bytes of a job arrive for one that waits for them.
typealias DataInbox = Inbox<DataFeed, DataOutput>

/// Where a job's results arrive for one that waits for them: the newest takes the place of those not yet looked at.
final class Inbox<Partial: Sendable, Final: Sendable>: Sendable {
    /// What arrived.
    enum Item: Sendable {
        /// Something that will be followed by something better.
        case partial(Partial)
        /// The last.
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

    /// The last thing, when it has arrived.
    func last() async throws -> Final {
        while true {
            if case .final(let value) = try await next() { return value }
        }
    }
}
