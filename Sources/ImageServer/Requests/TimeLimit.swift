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
    let work = Task { await Result(of: body) }
    let number = limits.add(limit) { work.cancel() }
    let result = await withTaskCancellationHandler {
        await work.value
    } onCancel: {
        work.cancel()
    }
    guard limits.remove(number) else { throw failure }
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
        let action: @Sendable () -> Void
    }

    private let state = Mutex(State())

    package init() {}

    /// The limits of work that hasn't ended or been cancelled.
    package var count: Int { state.withLock { $0.limits.count } }

    /// Calls `action` after `duration`, unless the limit is removed before.
    /// - Returns: The limit's number.
    fileprivate func add(_ duration: Duration, _ action: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            let (number, end) = (state.nextNumber, ContinuousClock.now + duration)
            state.nextNumber += 1
            state.limits[number] = Limit(end: end, action: action)
            if state.checkTime.map({ end < $0 }) ?? true { scheduleCheck(at: end, &state) }
            return number
        }
    }

    /// Removes a limit; returns false if it has passed.
    fileprivate func remove(_ number: Int) -> Bool { state.withLock { $0.limits.removeValue(forKey: number) != nil } }

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
        for limit in passed { limit.action() }
    }
}
