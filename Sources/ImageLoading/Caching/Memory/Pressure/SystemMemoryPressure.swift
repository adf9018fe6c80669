internal import Platform
internal import Synchronization

/// Memory pressure as reported by Linux, for this process's control group or for the machine.
///
/// One thread waits for events while there are observers. On systems other than Linux it never reports any.
public final class SystemMemoryPressure: MemoryPressureSource {
    /// The source shared by the whole process.
    public static let shared = SystemMemoryPressure()

    private struct State {
        var handlers: [Int: @Sendable (MemoryPressure) -> Void] = [:]
        var count = 0
        var watch: MemoryPressureWatch?
    }

    private let state = Mutex(State())
    private let root: String
    private let usesTriggers: Bool
    private let interval: CInt

    private convenience init() { self.init(root: "", usesTriggers: true, interval: 5000) }

    /// Creates a source that reads the given files.
    /// - Parameters:
    ///   - root: The folder that contains the system's files.
    ///   - usesTriggers: Whether to let the kernel wake the thread.
    ///   - interval: Milliseconds between polls if it doesn't; negative to poll only on `check()`.
    package init(root: String, usesTriggers: Bool, interval: Int) {
        self.root = root
        self.usesTriggers = usesTriggers
        self.interval = CInt(clamping: interval)
    }

    /// Calls `handler` on the source's only thread; it should return quickly.
    public func observe(_ handler: @escaping @Sendable (MemoryPressure) -> Void) -> MemoryPressureObservation {
        let number = state.withLock { state in
            state.count += 1
            state.handlers[state.count] = handler
            if state.watch == nil { state.watch = startWatch() }
            return state.count
        }
        return MemoryPressureObservation { [self] in
            let (handler, watch) = state.withLock { state in
                let handler = state.handlers.removeValue(forKey: number)
                return (handler, state.handlers.isEmpty ? state.watch.take() : nil)
            }
            watch?.stop()
            // Released here, not under the lock.
            _ = consume handler
        }
    }

    /// Whether the thread is running.
    package var isWatching: Bool { state.withLock { $0.watch != nil } }

    /// Makes the thread poll now.
    package func check() { state.withLock { $0.watch }?.check() }

    private func startWatch() -> MemoryPressureWatch? {
        let memory = SystemMemory(root: root)
        guard let watch = MemoryPressureWatch(memory, usesTriggers: usesTriggers, interval: interval) else {
            return nil
        }
        return watch.start { [weak self] in self?.tell($0) } ? watch : nil
    }

    private func tell(_ pressure: MemoryPressure) {
        let handlers = state.withLock { Array($0.handlers.values) }
        for handler in handlers { handler(pressure) }
    }
}
