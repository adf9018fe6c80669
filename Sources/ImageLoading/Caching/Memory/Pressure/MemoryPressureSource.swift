/// Something that tells when memory is short.
public protocol MemoryPressureSource: Sendable {
    /// Calls `handler`, from any thread, each time that memory has become short, for as long as what is returned is kept.
    func observe(_ handler: @escaping @Sendable (MemoryPressure) -> Void) -> MemoryPressureObservation
}
