internal import Synchronization

/// Where a job's results arrive for one that waits for them: the newest takes the place of those not yet looked at.
final class Inbox<Value: Sendable>: Sendable {
    /// What arrived.
    enum Item: Sendable {
        /// Something that will be followed by something better.
        case partial(Value)
        /// The last.
        case final(Value)
    }

    private struct State {
        var partial: Value?
        var final: Result<Value, any Error>?
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Puts something in.
    /// - Returns: What it took the place of, for the caller to let go where no lock is held.
    @discardableResult
    func send(_ value: Value) -> Value? {
        let (old, waiter) = state.withLock { state -> (Value?, CheckedContinuation<Void, Never>?) in
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
    func finish(_ result: Result<Value, any Error>) {
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
}
