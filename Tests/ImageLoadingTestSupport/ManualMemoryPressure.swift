package import ImageLoading
internal import Synchronization

/// Memory that is short when a test says so.
package final class ManualMemoryPressure: MemoryPressureSource {
    private let handlers = Mutex<[Int: @Sendable (MemoryPressure) -> Void]>([:])

    package init() {}

    package func observe(_ handler: @escaping @Sendable (MemoryPressure) -> Void) -> MemoryPressureObservation {
        let number = handlers.withLock { handlers in
            let number = (handlers.keys.max() ?? 0) + 1
            handlers[number] = handler
            return number
        }
        return MemoryPressureObservation { [self] in
            let handler = handlers.withLock { $0.removeValue(forKey: number) }
            _ = consume handler
        }
    }

    /// Tells everybody who listens.
    package func tell(_ pressure: MemoryPressure) {
        for handler in handlers.withLock({ Array($0.values) }) { handler(pressure) }
    }

    /// How many listen.
    package var listenerCount: Int { handlers.withLock { $0.count } }
}
