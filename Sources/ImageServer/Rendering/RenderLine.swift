internal import Synchronization

/// The line before the renderer: so many at a time, so many waiting, and the rest is told to come back.
package final class RenderLine: Sendable {
    private struct Waiting {
        let number: UInt64
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var running = 0
        var nextNumber: UInt64 = 0
        var waiting: [Waiting] = []
        var refusedCount = 0
    }

    private let state = Mutex(State())
    private let width: Int
    private let depth: Int

    /// A line of `width` at a time and `depth` waiting.
    package init(width: Int, depth: Int) {
        self.width = max(1, width)
        self.depth = max(0, depth)
    }

    /// How many are at work, how many wait, and how many were sent away.
    package var totals: (running: Int, waiting: Int, refused: Int) {
        state.withLock { ($0.running, $0.waiting.count, $0.refusedCount) }
    }

    /// Does `body` when it is its turn.
    /// - Throws: 503 when too many wait already, and what `body` throws. Who is cancelled while waiting is 503 as well, and
    ///   nobody reads that.
    package func perform<R: Sendable>(
        _ body: @Sendable () async throws(RequestFailure) -> R
    ) async throws(RequestFailure) -> R {
        guard await enter() else {
            throw RequestFailure(503, "too many pictures are being made; try again in a second", retryAfter: 1)
        }
        defer { leave() }
        return try await body()
    }

    private func enter() async -> Bool {
        let number: UInt64? = state.withLock { state in
            if state.running < width {
                state.running += 1
                return nil
            }
            state.nextNumber += 1
            return state.nextNumber
        }
        guard let number else { return true }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    // It may have become our turn, or pointless, since.
                    if Task.isCancelled { return false }
                    if state.running < width {
                        state.running += 1
                        return true
                    }
                    guard state.waiting.count < depth else {
                        state.refusedCount += 1
                        return false
                    }
                    state.waiting.append(Waiting(number: number, continuation: continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let found = state.withLock { state in
                state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
            }
            found?.continuation.resume(returning: false)
        }
    }

    private func leave() {
        let next: Waiting? = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.running -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.continuation.resume(returning: true)
    }
}
