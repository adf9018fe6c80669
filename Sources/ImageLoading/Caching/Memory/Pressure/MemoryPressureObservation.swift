internal import Synchronization

/// A registration with a source of memory pressure. It ends with `cancel()`, or when it is released.
public final class MemoryPressureObservation: Sendable {
    private let end: Mutex<(@Sendable () -> Void)?>

    /// Creates an observation. `end` is called once, when it ends.
    public init(_ end: @escaping @Sendable () -> Void) { self.end = Mutex(end) }

    deinit { cancel() }

    /// Ends the observation. Doesn't wait for a handler call in progress.
    public func cancel() { end.withLock { $0.take() }?() }
}
