internal import Synchronization

/// Work that nobody waits for, counted so that it can be waited for after all.
final class BackgroundWork: Sendable {
    private struct State {
        var count = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Says that a piece of work has begun.
    func begin() { state.withLock { $0.count += 1 } }

    /// Says that a piece of work is done.
    func end() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.count -= 1
            guard state.count == 0 else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when all work is done that has begun.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                guard state.count > 0 else { return true }
                state.waiters.append(continuation)
                return false
            }
            if isDone { continuation.resume() }
        }
    }
}
