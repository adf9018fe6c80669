internal import Synchronization

/// Limits the rate of requests with a token bucket.
///
/// A burst passes at once; later requests wait their turn. When a list scrolls by quickly, most of its requests are
/// cancelled while they wait, and are never sent.
public final class RateLimiter: Sendable {
    /// The long-term rate, in requests per second.
    public let rate: Double
    /// The number of requests that pass at once after a pause.
    public let burst: Int

    private struct State {
        var tokens: Double
        var filledAt: Duration
        var nextID: UInt64 = 0
        /// The waiting requests in order; cancelled ones are no longer in `waiting`.
        var line: [UInt64] = []
        var head = 0
        var waiting: [UInt64: CheckedContinuation<Bool, Never>] = [:]
        var isPumping = false
    }

    private let state: Mutex<State>
    private let clock: FetchingClock

    /// Creates a limiter for `rate` requests per second, with bursts of `burst`.
    public convenience init(rate: Double = 80, burst: Int = 25) {
        self.init(rate: rate, burst: burst, clock: .system)
    }

    package init(rate: Double, burst: Int, clock: FetchingClock) {
        // Less than one request in about eleven days would overflow the pause.
        self.rate = rate.isFinite ? max(rate, 1e-6) : 1e9
        self.burst = max(1, burst)
        self.clock = clock
        state = Mutex(State(tokens: Double(max(1, burst)), filledAt: clock.now()))
    }

    /// The number of waiting requests.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Waits until a request may be sent.
    /// - Throws: `CancellationError` if the task is cancelled while it waits.
    package func wait() async throws {
        try Task.checkCancellation()
        let id: UInt64? = state.withLock { state in
            fill(&state)
            if state.waiting.isEmpty, state.tokens >= 1 {
                state.tokens -= 1
                return nil
            }
            state.nextID += 1
            return state.nextID
        }
        guard let id else { return }
        let isAllowed = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let starts: Bool? = state.withLock { state in
                    // Already cancelled, before the handler could find the continuation.
                    guard !Task.isCancelled else { return nil }
                    state.line.append(id)
                    state.waiting[id] = continuation
                    defer { state.isPumping = true }
                    return !state.isPumping
                }
                guard let starts else { return continuation.resume(returning: false) }
                if starts { Task { await pump() } }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: false)
        }
        guard isAllowed else { throw CancellationError() }
    }

    /// Resumes waiting requests, one per token, until none are left.
    private func pump() async {
        while true {
            let step: (CheckedContinuation<Bool, Never>?, Duration?) = state.withLock { state in
                fill(&state)
                guard state.tokens >= 1 else {
                    guard !state.waiting.isEmpty else { return stop(&state) }
                    return (nil, .seconds((1 - state.tokens) / rate))
                }
                while state.head < state.line.count {
                    let id = state.line[state.head]
                    state.head += 1
                    if let next = state.waiting.removeValue(forKey: id) {
                        state.tokens -= 1
                        return (next, nil)
                    }
                }
                return stop(&state)
            }
            if let next = step.0 {
                next.resume(returning: true)
            } else if let pause = step.1 {
                // Nothing cancels this task.
                try? await clock.sleep(pause)
            } else {
                return
            }
        }
    }

    private func stop(_ state: inout State) -> (CheckedContinuation<Bool, Never>?, Duration?) {
        state.line.removeAll()
        state.head = 0
        state.isPumping = false
        return (nil, nil)
    }

    private func fill(_ state: inout State) {
        let now = clock.now()
        let passed = max(0, (now - state.filledAt) / .seconds(1))
        state.filledAt = now
        state.tokens = min(Double(burst), state.tokens + passed * rate)
    }
}
