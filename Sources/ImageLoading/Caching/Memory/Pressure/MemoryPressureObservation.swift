internal import Synchronization

/// Listening to a source of memory pressure: ended by `cancel()`, or when nobody keeps it any more.
public final class MemoryPressureObservation: Sendable {
    private let end: Mutex<(@Sendable () -> Void)?>

    /// An observation that `end` ends: called once.
    public init(_ end: @escaping @Sendable () -> Void) { self.end = Mutex(end) }

    deinit { cancel() }

    /// Ends it. A call of the handler that is under way is not waited for.
    public func cancel() { end.withLock { $0.take() }?() }
}
