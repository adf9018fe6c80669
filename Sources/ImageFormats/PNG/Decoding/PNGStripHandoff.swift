internal import Dispatch
internal import Synchronization

/// Memory for a few stored rows, one after the other, each behind its filter's number.
final class PNGStrip {
    /// The first row's filter number.
    let base: UnsafeMutablePointer<UInt8>
    /// How many bytes there is room for.
    let capacity: Int
    /// How many bytes are there.
    var count = 0

    /// Bytes that vector loads may read behind the last row.
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

/// Passes strips from a thread that fills them to one that empties them, a few at a time and in order.
///
/// Never waits for a thread that may not come: until the emptying thread has begun, the filling one empties strips itself.
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
        // Not as its first value: a semaphore below that when it goes is taken for one in use.
        for _ in 0..<stripCount { freeStrips.signal() }
    }

    /// Fills strips until `fill`, given a strip's number, returns false for the last one.
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

    /// Empties strips as they are filled, until the last one, unless the filling thread does so.
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

    /// Whether the filling thread is the one to empty strips, now and from now on.
    private func takesOver() -> Bool {
        state.withLock { state in
            if state.emptying == .undecided { state.emptying = .byFillingThread }
            return state.emptying == .byFillingThread
        }
    }

    private func nextFilled() -> Int? {
        state.withLock { $0.emptied < $0.filled ? $0.emptied % stripCount : nil }
    }

    /// Whether that was the last strip.
    @discardableResult
    private func didEmpty() -> Bool {
        state.withLock { state in
            state.emptied += 1
            return state.isFinished && state.emptied == state.filled
        }
    }
}
