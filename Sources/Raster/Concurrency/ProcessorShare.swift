internal import Synchronization

/// The processors for threads that are at work together, held until the share is released.
///
/// Such threads know nothing of those of other calls, as a C library's. A call that is alone gets all processors; calls side by side, as in
/// a batch or a server, divide them, down to one thread for each. Results must not depend on the number of threads.
package final class ProcessorShare: Sendable {
    /// The threads to use, from 1 to `maximumThreadCount`.
    package let threadCount: Int

    /// The processors to divide; nil for all that are available. A worker process has its part of those that other
    /// workers use too.
    @TaskLocal package static var processorCount: Int?

    /// More threads need more memory than they save time.
    package static let maximumThreadCount = 16
    private static let holderCount = Atomic<Int>(0)

    /// Whether the task holds a share that others of it are parts of.
    @TaskLocal private static var isHeld = false
    /// 1, or 0 for a part of another share: added to the shares held.
    private let count: Int

    /// Takes a share: the processors divided by the shares held, including this one.
    package init() {
        count = Self.isHeld ? 0 : 1
        // A task that outlives what it inherited a share from may find none.
        let holders = max(1, Self.holderCount.wrappingAdd(count, ordering: .relaxed).newValue)
        let processors = Self.processorCount ?? ImageExecutor.processorCount
        threadCount = max(1, min(processors / holders, Self.maximumThreadCount))
    }

    deinit { Self.holderCount.wrappingSubtract(count, ordering: .relaxed) }

    /// Holds a share until `body` returns, between its steps on several threads too: a call beside it gets no processor that
    /// the next step would share with it.
    package static func hold<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        try perform { (_) throws(E) in
            try $isHeld.withValue(true) { Result { () throws(E) in try body() } }.get()
        }
    }

    /// Calls `body` with the number of threads to use, and holds the share until it returns.
    package static func perform<R, E: Error>(_ body: (Int) throws(E) -> R) throws(E) -> R {
        let share = ProcessorShare()
        defer { withExtendedLifetime(share) {} }
        return try body(share.threadCount)
    }
}
