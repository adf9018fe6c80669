package import ImageFormats
internal import Platform
internal import Raster
internal import Synchronization

/// The queue before the renderer: bounds how many renders run, the memory and the time that they take together, and how many
/// wait. What goes beyond is refused at once, with the time after which to come again.
///
/// Cheap renders and dear ones wait apart. Dear ones never have all places nor all memory, so that thumbnails go on
/// being made beside them.
package final class RenderQueue: Sendable {
    private let state = Mutex(State())
    private let limits: RenderQueueLimits
    private let depth: Int

    /// A queue in which `width` run at a time, within `byteLimit` bytes, and `depth` wait.
    package init(width: Int, depth: Int, byteLimit: Int = .max) {
        limits = RenderQueueLimits(width: width, byteLimit: byteLimit)
        self.depth = max(0, depth)
    }

    /// How many run, how many wait, and how many were refused.
    package var totals: (running: Int, waiting: Int, refused: Int) {
        state.withLock { state in
            (
                state.cheap.running.count + state.dear.running.count,
                state.cheap.waiting.count + state.dear.waiting.count, state.refusedCount
            )
        }
    }

    /// Bytes that renders may take together.
    package var byteLimit: Int { limits.byteLimit }

    /// Bytes that the running renders were admitted for.
    package var byteCount: Int { state.withLock { $0.cheap.byteCount + $0.dear.byteCount } }

    /// Runs `body` when there is a place for what it costs.
    /// - Throws: 400 for a cost that is never admitted; 503 when too many wait, or when `deadline` would pass before it is
    ///   done; what `body` throws. A task that is cancelled while it waits gets 503 too.
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
                    // It may have become pointless since.
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
        // Before the next one takes its own: what a dear render leaves behind would stay with the allocator for good.
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

    /// The renders of one kind.
    private struct Share {
        var running: [UInt64: (cost: CodingCost, start: ContinuousClock.Instant)] = [:]
        var waiting: [Waiting] = []

        var byteCount: Int { running.values.reduce(0) { $0 + $1.cost.byteCount } }

        /// Seconds of work that are left, of what runs and what waits.
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
            let wait = self[keyPath: share].seconds / Double(isDear ? limits.dearWidth : limits.width)
            let isInTime = new.deadline.map { .now + .seconds(wait + limits.seconds(new.cost)) <= $0 } ?? true
            guard isInTime, cheap.waiting.count + dear.waiting.count < depth else {
                refusedCount += 1
                return .refused(RenderQueueLimits.busy(retryAfter: wait))
            }
            self[keyPath: share].waiting.append(new)
            return .waits
        }

        /// Calls up those for whom there is room now, and those who have waited too long to be done in time.
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
                        let wait = isDear ? dear.seconds / Double(limits.dearWidth) : cheap.seconds
                        called.append((next, RenderQueueLimits.busy(retryAfter: wait)))
                    } else {
                        self[keyPath: share].run(next)
                        called.append((next, nil))
                    }
                }
            }
            return called
        }

        private func hasRoom(for cost: CodingCost, _ limits: RenderQueueLimits) -> Bool {
            limits.hasRoom(
                for: cost, cheapCount: cheap.running.count, dearCount: dear.running.count,
                byteCount: cheap.byteCount + dear.byteCount, dearByteCount: dear.byteCount)
        }

        private static func share(_ isDear: Bool) -> WritableKeyPath<State, Share> { isDear ? \.dear : \.cheap }
    }
}

/// The memory that renders take.
package enum RenderMemory {
    /// Has the process give large blocks of memory back when they are freed. For a program that does nothing but serve, at its
    /// start.
    package static func keepLittle() { AllocatedMemory.keepLittle() }

    /// What renders may take together where nobody said: a quarter of the memory that the process may use, at most 512 MiB.
    static var defaultByteLimit: Int { min(512 << 20, max(64 << 20, SystemMemory().byteCount / 4)) }

    private static let isWaiting = Mutex(false)

    /// Does `giveBack()` again when a dear render's response has been sent, which is another copy of its file: after 5 s, and
    /// for slow clients after 30.
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

    /// Gives back what finished renders have left in pools and with the allocator.
    static func giveBack() {
        PixelBufferPool.shared.removeAll()
        AllocatedMemory.giveBack()
    }
}
