package import ImageFormats
internal import Platform
internal import Raster
internal import Synchronization

/// The queue in front of the renderer: limits the number of concurrent renders, their total memory and time, and the
/// number of waiting ones. The rest are refused immediately, with a time to retry.
///
/// Cheap and expensive (`dear`) renders wait separately. Expensive ones never get all places or all memory, so that
/// thumbnails continue beside them.
package final class RenderQueue: Sendable {
    private let state = Mutex(State())
    private let limits: RenderQueueLimits
    private let depth: Int

    /// Creates a queue for `width` concurrent renders within `byteLimit` bytes, and `depth` waiting ones.
    package init(width: Int, depth: Int, byteLimit: Int = .max) {
        limits = RenderQueueLimits(width: width, byteLimit: byteLimit)
        self.depth = max(0, depth)
    }

    /// The numbers of running, waiting and refused renders.
    package var totals: (running: Int, waiting: Int, refused: Int) {
        state.withLock { state in
            (
                state.cheap.running.count + state.dear.running.count,
                state.cheap.waiting.count + state.dear.waiting.count, state.refusedCount
            )
        }
    }

    /// The most bytes of all running renders.
    package var byteLimit: Int { limits.byteLimit }

    /// The estimated bytes of the running renders.
    package var byteCount: Int { state.withLock { $0.cheap.byteCount + $0.dear.byteCount } }

    /// Runs `body` once its cost fits the limits.
    /// - Throws: 400 for a cost that never fits; 503 if too many renders wait, if `deadline` would pass before `body`
    ///   ends, or if the task is cancelled while it waits; the errors of `body`.
    package func perform<R: Sendable>(
        _ cost: CodingCost = CodingCost(), deadline: ContinuousClock.Instant? = nil,
        _ body: @Sendable () async throws(RequestFailure) -> R
    ) async throws(RequestFailure) -> R {
        try limits.check(cost, deadline: deadline)
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        if let failure = await enter(number, cost, deadline) { throw failure }
        defer { leave(number, isDear: limits.isDear(cost)) }
        return try await body()
    }

    // MARK: Waiting

    private func enter(
        _ number: UInt64, _ cost: CodingCost, _ deadline: ContinuousClock.Instant?
    ) async -> RequestFailure? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome: Outcome = state.withLock { state in
                    // The task may have been cancelled in the meantime.
                    if Task.isCancelled { return .refused(RenderQueueLimits.busy(retryAfter: 1)) }
                    return state.enter(
                        Waiting(number: number, cost: cost, deadline: deadline, continuation: continuation), limits,
                        depth: depth)
                }
                switch outcome {
                case .runs: continuation.resume(returning: nil)
                case .refused(let failure): continuation.resume(returning: failure)
                case .waits: break
                }
            }
        } onCancel: {
            let found = state.withLock { $0.cheap.remove(number) ?? $0.dear.remove(number) }
            found?.continuation.resume(returning: RenderQueueLimits.busy(retryAfter: 1))
        }
    }

    private func leave(_ number: UInt64, isDear: Bool) {
        // Before the next render allocates: otherwise the allocator keeps the memory of an expensive render for good.
        if isDear { RenderMemory.giveBack() }
        let called = state.withLock { state in
            state.cheap.running[number] = nil
            state.dear.running[number] = nil
            return state.call(limits)
        }
        if isDear { RenderMemory.giveBackLater() }
        for (waiting, failure) in called { waiting.continuation.resume(returning: failure) }
    }
}

extension RenderQueue {
    private struct Waiting {
        let number: UInt64
        let cost: CodingCost
        let deadline: ContinuousClock.Instant?
        let continuation: CheckedContinuation<RequestFailure?, Never>
    }

    private enum Outcome {
        case runs
        case waits
        case refused(RequestFailure)
    }

    /// The renders of one class, cheap or expensive.
    private struct Share {
        var running: [UInt64: (cost: CodingCost, start: ContinuousClock.Instant)] = [:]
        var waiting: [Waiting] = []

        var byteCount: Int { running.values.reduce(0) { $0 + $1.cost.byteCount } }

        /// The estimated seconds of remaining work, running and waiting.
        var seconds: Double {
            let now = ContinuousClock.now
            return running.values.reduce(0) {
                $0 + max(0, $1.cost.seconds - ($1.start.duration(to: now) / .seconds(1)))
            }
                + waiting.reduce(0) { $0 + $1.cost.seconds }
        }

        mutating func run(_ new: Waiting) { running[new.number] = (new.cost, .now) }

        mutating func remove(_ number: UInt64) -> Waiting? {
            waiting.firstIndex { $0.number == number }.map { waiting.remove(at: $0) }
        }
    }

    private struct State {
        var cheap = Share()
        var dear = Share()
        var nextNumber: UInt64 = 0
        var refusedCount = 0

        mutating func enter(_ new: Waiting, _ limits: RenderQueueLimits, depth: Int) -> Outcome {
            let isDear = limits.isDear(new.cost)
            let share = Self.share(isDear)
            if self[keyPath: share].waiting.isEmpty, hasRoom(for: new.cost, limits) {
                self[keyPath: share].run(new)
                return .runs
            }
            let wait = wait(isDear, limits)
            let isInTime = new.deadline.map { .now + .seconds(wait + limits.seconds(new.cost)) <= $0 } ?? true
            guard isInTime, cheap.waiting.count + dear.waiting.count < depth else {
                refusedCount += 1
                return .refused(RenderQueueLimits.busy(retryAfter: wait))
            }
            self[keyPath: share].waiting.append(new)
            return .waits
        }

        /// Starts waiting renders that fit now, and refuses those that can't finish in time.
        mutating func call(_ limits: RenderQueueLimits) -> [(Waiting, RequestFailure?)] {
            var called: [(Waiting, RequestFailure?)] = []
            for isDear in [false, true] {
                let share = Self.share(isDear)
                while let next = self[keyPath: share].waiting.first {
                    let isLate = next.deadline.map { .now + .seconds(limits.seconds(next.cost)) > $0 } ?? false
                    guard isLate || hasRoom(for: next.cost, limits) else { break }
                    self[keyPath: share].waiting.removeFirst()
                    if isLate {
                        refusedCount += 1
                        called.append((next, RenderQueueLimits.busy(retryAfter: wait(isDear, limits))))
                    } else {
                        self[keyPath: share].run(next)
                        called.append((next, nil))
                    }
                }
            }
            return called
        }

        /// The estimated seconds until the work of a class is done.
        private func wait(_ isDear: Bool, _ limits: RenderQueueLimits) -> Double {
            self[keyPath: Self.share(isDear)].seconds / Double(isDear ? limits.dearWidth : limits.width)
        }

        private func hasRoom(for cost: CodingCost, _ limits: RenderQueueLimits) -> Bool {
            limits.hasRoom(
                for: cost, cheapCount: cheap.running.count, dearCount: dear.running.count,
                byteCount: cheap.byteCount + dear.byteCount, dearByteCount: dear.byteCount)
        }

        private static func share(_ isDear: Bool) -> WritableKeyPath<State, Share> { isDear ? \.dear : \.cheap }
    }
}

/// Limits and releases the memory of renders.
package enum RenderMemory {
    /// Makes the process return large freed blocks to the system. Call it at the start of a program that only serves.
    package static func keepLittle() { AllocatedMemory.keepLittle() }

    /// The default limit: a quarter of the memory that the process may use, at least 64 MiB and at most 512 MiB.
    static var defaultByteLimit: Int { min(512 << 20, max(64 << 20, SystemMemory().byteCount / 4)) }

    private static let isWaiting = Mutex(false)

    /// Calls `giveBack()` again after 5 and 30 seconds, once the response of an expensive render has been sent, which
    /// is another copy of its file.
    static func giveBackLater() {
        let starts = isWaiting.withLock { isWaiting in
            defer { isWaiting = true }
            return !isWaiting
        }
        guard starts else { return }
        Task {
            try? await Task.sleep(for: .seconds(5))
            giveBack()
            try? await Task.sleep(for: .seconds(25))
            isWaiting.withLock { $0 = false }
            giveBack()
        }
    }

    /// Returns memory that finished renders have left in pools and in the allocator to the system.
    static func giveBack() {
        PixelBufferPool.shared.removeAll()
        AllocatedMemory.giveBack()
    }
}
