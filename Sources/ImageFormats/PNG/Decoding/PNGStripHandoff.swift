internal import Dispatch
internal import Synchronization

/// A buffer for a few stored rows in sequence, each after its filter byte.
final class PNGStrip {
    /// The first row's filter byte.
    let base: UnsafeMutablePointer<UInt8>
    /// The size of the buffer in bytes.
    let capacity: Int
    /// The number of bytes in use.
    var count = 0

    /// The number of bytes that vector loads may read past the last row.
    private static let slack = 16

    init(capacity: Int) {
        self.capacity = capacity
        base = .allocate(capacity: capacity + Self.slack)
        (base + capacity).initialize(repeating: 0, count: Self.slack)
    }

    deinit {
        base.deallocate()
    }
}

/// Passes strips, a few at a time and in order, from a thread that fills them to one that empties them.
///
/// Never waits for a thread that may not come: until the emptying thread has started, the filling one empties strips
/// itself.
final class PNGStripHandoff: Sendable {
    private enum Emptying {
        case undecided
        case byFillingThread
        case byOtherThread
    }

    private struct State {
        var emptying = Emptying.undecided
        var filled = 0
        var emptied = 0
        var isFinished = false
    }

    private let stripCount: Int
    private let state = Mutex(State())
    private let filledStrips = DispatchSemaphore(value: 0)
    private let freeStrips = DispatchSemaphore(value: 0)

    init(stripCount: Int) {
        self.stripCount = stripCount
        // Not as its initial value: a semaphore must not be destroyed with a value below its initial one.
        for _ in 0..<stripCount { freeStrips.signal() }
    }

    /// Calls `fill` with the index of each free strip until it returns false, for the last one.
    func fillAll(_ fill: (Int) -> Bool, empty: (Int) -> Void) {
        var index = 0
        while true {
            waitForFreeStrip(empty)
            let goesOn = fill(index % stripCount)
            index += 1
            state.withLock { state in
                state.filled = index
                if !goesOn { state.isFinished = true }
            }
            filledStrips.signal()
            if !goesOn { break }
        }
        if takesOver() {
            while let index = nextFilled() {
                empty(index)
                didEmpty()
            }
        }
    }

    /// Empties strips as they are filled, up to the last one, unless the filling thread empties them.
    func emptyAll(_ empty: (Int) -> Void) {
        let isMine = state.withLock { state in
            guard state.emptying == .undecided else { return false }
            state.emptying = .byOtherThread
            return true
        }
        guard isMine else { return }
        while true {
            filledStrips.wait()
            guard let index = nextFilled() else { return }
            empty(index)
            let isLast = didEmpty()
            freeStrips.signal()
            if isLast { return }
        }
    }

    private func waitForFreeStrip(_ empty: (Int) -> Void) {
        if freeStrips.wait(timeout: .now()) == .success { return }
        guard takesOver() else {
            freeStrips.wait()
            return
        }
        guard let index = nextFilled() else { return }
        empty(index)
        didEmpty()
    }

    /// Whether the filling thread empties the strips, from now on.
    private func takesOver() -> Bool {
        state.withLock { state in
            if state.emptying == .undecided { state.emptying = .byFillingThread }
            return state.emptying == .byFillingThread
        }
    }

    private func nextFilled() -> Int? {
        state.withLock { $0.emptied < $0.filled ? $0.emptied % stripCount : nil }
    }

    /// Counts an emptied strip; returns whether it was the last.
    @discardableResult
    private func didEmpty() -> Bool {
        state.withLock { state in
            state.emptied += 1
            return state.isFinished && state.emptied == state.filled
        }
    }
}
