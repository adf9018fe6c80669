import Dispatch
import Synchronization

/// Holds work in the middle, until the test lets it go on.
final class Hold: Sendable {
    private let gate = DispatchSemaphore(value: 0)
    private let arrived = Mutex(0)

    /// How many pieces of work have come here.
    var arrivedCount: Int { arrived.withLock { $0 } }

    /// Called by the work: returns when it is let go on.
    func pass() {
        arrived.withLock { $0 += 1 }
        gate.wait()
    }

    /// Lets `count` pieces of work go on.
    func release(_ count: Int = 1) {
        for _ in 0..<count { gate.signal() }
    }

    /// Returns when `count` pieces of work have come here.
    func waitForArrivals(_ count: Int) async {
        while arrivedCount < count { await Task.yield() }
    }
}
