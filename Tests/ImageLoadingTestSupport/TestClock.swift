package import ImageLoading
internal import Synchronization

/// A clock that the test moves. Sleeping moves it too, at once, unless it holds.
package final class TestClock: Sendable {
    private struct State {
        var now = Duration.zero
        var sleeps: [Duration] = []
        var sleepers: [Int: (until: Duration, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())
    private let isHolding: Bool
    private let start: Int64

    /// - Parameters:
    ///   - isHolding: Whether who sleeps waits until the test moves the clock.
    ///   - start: Where the clock starts, in seconds since 1970.
    package init(isHolding: Bool = false, start: Int64 = 1_000_000_000) {
        self.isHolding = isHolding
        self.start = start
    }

    package var clock: FetchingClock {
        FetchingClock(
            now: { self.state.withLock { $0.now } },
            secondsSince1970: { self.start + self.state.withLock { $0.now.components.seconds } },
            sleep: { try await self.sleep($0) })
    }

    /// How long those slept, or were to, who slept so far.
    package var sleeps: [Duration] { state.withLock { $0.sleeps } }

    /// Moves the clock, and wakes those whose time has come.
    package func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now += duration
            let due = state.sleepers.filter { $0.value.until <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Returns when somebody has begun to sleep for the `count`th time.
    package func waitForSleeps(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isMet = state.withLock { state in
                if state.sleeps.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isMet { continuation.resume() }
        }
    }

    private func sleep(_ duration: Duration) async throws {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.sleeps.append(duration)
            if !isHolding { state.now += duration }
            return state.sleeps.count
        }
        if !isHolding { return wakeWatchers() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if Task.isCancelled { return true }
                    state.sleepers[id] = (state.now + duration, continuation)
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
                wakeWatchers()
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    private func wakeWatchers() {
        let woken = state.withLock { state in
            let (count, watchers) = (state.sleeps.count, state.watchers)
            state.watchers = watchers.filter { $0.count > count }
            return watchers.filter { $0.count <= count }.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }
}
