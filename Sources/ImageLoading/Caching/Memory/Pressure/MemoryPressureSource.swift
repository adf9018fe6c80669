/// A source of memory pressure events.
public protocol MemoryPressureSource: Sendable {
    /// Calls `handler`, on any thread, each time memory becomes short, until the returned observation is released.
    func observe(_ handler: @escaping @Sendable (MemoryPressure) -> Void) -> MemoryPressureObservation
}
