internal import Raster
internal import Synchronization

/// Tracks which of a store's tiles are available, and the tasks that wait for one.
final class TileReadiness: Sendable {
    /// The reason why no more tiles will come.
    enum End {
        case complete
        case failed(ImageError)
    }

    private struct Waiter {
        let number: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        /// For each slot, the latest pass in it; 0 for none.
        var passes: [UInt8]
        /// Slots with only part of their tile.
        var partial: Set<Int> = []
        var waiters: [Int: [Waiter]] = [:]
        var nextWaiter = 0
        var end: End?
    }

    private let state: Mutex<State>

    init(slotCount: Int) {
        state = Mutex(State(passes: [UInt8](repeating: 0, count: slotCount)))
    }

    var end: End? { state.withLock { $0.end } }

    func state(of slot: Int) -> RawTileStore.TileState {
        state.withLock { state in
            guard state.passes[slot] > 0 else { return .missing }
            return state.partial.contains(slot) ? .partial : .ready(pass: Int(state.passes[slot]))
        }
    }

    func isReady(_ slot: Int) -> Bool { state.withLock { $0.passes[slot] > 0 } }

    /// Marks `slots` as readable and resumes waiting tasks.
    func add(_ slots: Range<Int>, pass: Int, isPartial: Bool) {
        let waiters = state.withLock { state in
            var waiters: [Waiter] = []
            for slot in slots {
                // A difference beyond 255 passes isn't visible.
                state.passes[slot] = UInt8(clamping: pass)
                if isPartial {
                    state.partial.insert(slot)
                } else if !state.partial.isEmpty {
                    state.partial.remove(slot)
                }
                if !state.waiters.isEmpty { waiters += state.waiters.removeValue(forKey: slot) ?? [] }
            }
            return waiters
        }
        for waiter in waiters { waiter.continuation.resume() }
    }

    /// Records the end and resumes all waiting tasks; later calls have no effect.
    /// - Returns: Whether this call was the first.
    func end(_ end: End) -> Bool {
        let waiters: [Waiter]? = state.withLock { state in
            guard state.end == nil else { return nil }
            state.end = end
            defer { state.waiters = [:] }
            return state.waiters.values.flatMap(\.self)
        }
        guard let waiters else { return false }
        for waiter in waiters { waiter.continuation.resume() }
        return true
    }

    /// Waits until `slot` is readable, no more tiles will come, or the task is cancelled.
    func wait(for slot: Int) async {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    // Cancelled before it was added: nothing would resume it.
                    guard state.passes[slot] == 0, state.end == nil, !Task.isCancelled else { return true }
                    state.waiters[slot, default: []].append(Waiter(number: number, continuation: continuation))
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let index = state.waiters[slot]?.firstIndex(where: { $0.number == number }) else { return nil }
                return state.waiters[slot]?.remove(at: index)
            }
            waiter?.continuation.resume()
        }
    }
}
