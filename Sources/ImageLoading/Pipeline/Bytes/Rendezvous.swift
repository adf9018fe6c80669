internal import Synchronization

/// Hands values from one task to another, each when it is asked for.
final class Rendezvous<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var end: Result<Void, any Error>?
        var isClosed = false
        var giver: CheckedContinuation<Void, any Error>?
        var taker: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Hands over `value`; returns when it was taken.
    /// - Throws: `CancellationError` when nobody will take any more.
    func give(_ value: Value) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let (isClosed, taker) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
                guard !state.isClosed else { return (true, nil) }
                state.value = value
                state.giver = continuation
                defer { state.taker = nil }
                return (false, state.taker)
            }
            if isClosed { continuation.resume(throwing: CancellationError()) }
            taker?.resume()
        }
    }

    /// Says that there are no more, or why.
    func finish(_ result: Result<Void, any Error>) {
        let taker = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.end == nil { state.end = result }
            defer { state.taker = nil }
            return state.taker
        }
        taker?.resume()
    }

    /// Says that no more will be taken.
    func close() {
        let (giver, taker) = state.withLock { state in
            state.isClosed = true
            state.value = nil
            if state.end == nil { state.end = .failure(CancellationError()) }
            defer { (state.giver, state.taker) = (nil, nil) }
            return (state.giver, state.taker)
        }
        giver?.resume(throwing: CancellationError())
        taker?.resume()
    }

    /// The value that comes next; nil at the end. For one caller at a time.
    func take() async throws -> Value? {
        while true {
            let (known, giver) = state.withLock {
                state -> (Result<Value?, any Error>?, CheckedContinuation<Void, any Error>?) in
                if let value = state.value {
                    defer { (state.value, state.giver) = (nil, nil) }
                    return (.success(value), state.giver)
                }
                return (state.end.map { $0.map { nil } }, nil)
            }
            giver?.resume()
            if let known { return try known.get() }
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    guard state.value == nil, state.end == nil else { return true }
                    state.taker = continuation
                    return false
                }
                if isThere { continuation.resume() }
            }
        }
    }
}
