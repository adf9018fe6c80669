internal import Dispatch
internal import Synchronization

extension Result where Success: Sendable {
    /// Captures the value that `body` returns or the error that it throws.
    init(of body: () async throws(Failure) -> Success) async {
        do throws(Failure) {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}

/// Runs `body`, and cancels it after `limit`. Returns when `body` has ended, even if that is later.
/// - Throws: `failure` after `limit`, and the errors of `body`.
package func withTimeLimit<Value: Sendable>(
    _ limit: Duration, orThrow failure: RequestFailure, in limits: TimeLimits = .shared,
    _ body: @escaping @Sendable () async throws(RequestFailure) -> Value
) async throws(RequestFailure) -> Value {
    let result = await withTaskGroup(of: Result<Value, RequestFailure>?.self) { group in
        group.addTask { await Result(of: body) }
        // A caller that was cancelled isn't the limit: the result is that of `body`.
        group.addTask { await limits.wait(limit) ? .failure(failure) : nil }
        defer { group.cancelAll() }
        for await case let result? in group { return result }
        return .failure(failure)
    }
    return try result.get()
}

/// The time limits of the work in progress.
///
/// Of work that has ended nothing is kept, unlike that of a task that sleeps until the limit: the runtime keeps half a kilobyte
/// for each until then, even if it is cancelled, which for a busy server's requests is more than all else that it holds.
package final class TimeLimits: Sendable {
    /// Those of the process.
    package static let shared = TimeLimits()

    private struct State {
        var limits: [Int: Limit] = [:]
        var nextNumber = 0
        /// When limits are checked next; nil for never.
        var checkTime: ContinuousClock.Instant?
    }

    private struct Limit {
        let end: ContinuousClock.Instant
        let waiter: CheckedContinuation<Bool, Never>
    }

    private let state = Mutex(State())

    package init() {}

    /// The limits that are waited for.
    package var count: Int { state.withLock { $0.limits.count } }

    /// Waits for `duration`, or until the task is cancelled; returns whether the time has passed.
    fileprivate func wait(_ duration: Duration) async -> Bool {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { add(number, until: .now + duration, $0) }
        } onCancel: {
            state.withLock { $0.limits.removeValue(forKey: number) }?.waiter.resume(returning: false)
        }
    }

    private func add(_ number: Int, until end: ContinuousClock.Instant, _ waiter: CheckedContinuation<Bool, Never>) {
        let isAdded = state.withLock { state in
            // The task's handler has come already, or comes after this.
            guard !Task.isCancelled else { return false }
            state.limits[number] = Limit(end: end, waiter: waiter)
            if state.checkTime.map({ end < $0 }) ?? true { scheduleCheck(at: end, &state) }
            return true
        }
        if !isAdded { waiter.resume(returning: false) }
    }

    private func scheduleCheck(at time: ContinuousClock.Instant, _ state: inout State) {
        state.checkTime = time
        let (seconds, attoseconds) = max(.zero, time - .now).components
        let wait = DispatchTime.now() + .nanoseconds(Int(attoseconds / 1_000_000_000)) + Double(seconds)
        DispatchQueue.global().asyncAfter(deadline: wait) { self.check(at: time) }
    }

    private func check(at time: ContinuousClock.Instant) {
        let passed = state.withLock { state -> [Limit] in
            // Limits that end before those that were there have an earlier check, which sees to the next.
            guard state.checkTime == time else { return [] }
            let now = ContinuousClock.now
            let passed = state.limits.filter { $0.value.end <= now }
            for number in passed.keys { state.limits[number] = nil }
            state.checkTime = nil
            if let next = state.limits.values.map(\.end).min() { scheduleCheck(at: next, &state) }
            return Array(passed.values)
        }
        for limit in passed { limit.waiter.resume(returning: true) }
    }
}
