internal import Synchronization

/// Lets requests through at a bounded rate: a bucket from which each takes a token and which is filled at a steady rate.
///
/// A burst passes at once; what comes after it is let through in the order in which it came. It keeps a list that is
/// scrolled past quickly from sending a request for every picture in it: most are cancelled while they wait.
public final class RateLimiter: Sendable {
    /// Requests per second, in the long run.
    public let rate: Double
    /// Requests at once, after a time without.
    public let burst: Int

    private struct State {
        var tokens: Double
        var filledAt: Duration
        var nextID: UInt64 = 0
        /// Who waits, in order; the cancelled ones are no longer in `waiting`.
        var line: [UInt64] = []
        var head = 0
        var waiting: [UInt64: CheckedContinuation<Bool, Never>] = [:]
        var isPumping = false
    }

    private let state: Mutex<State>
    private let clock: FetchingClock

    /// A limiter that lets `rate` requests through a second, and `burst` at once.
    public convenience init(rate: Double = 80, burst: Int = 25) {
        self.init(rate: rate, burst: burst, clock: .system)
    }

    package init(rate: Double, burst: Int, clock: FetchingClock) {
        // Slower than one in about eleven days isn't meant, and would overflow the pause.
        self.rate = rate.isFinite ? max(rate, 1e-6) : 1e9
        self.burst = max(1, burst)
        self.clock = clock
        state = Mutex(State(tokens: Double(max(1, burst)), filledAt: clock.now()))
    }

    /// How many wait.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Returns when one more request may be sent.
    /// - Throws: `CancellationError` when the task is cancelled meanwhile.
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
                    // Cancelled before it got here: the handler found nobody.
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

    /// Lets those who wait through, one token each, until nobody waits.
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
                // This task isn't cancelled by anybody.
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
