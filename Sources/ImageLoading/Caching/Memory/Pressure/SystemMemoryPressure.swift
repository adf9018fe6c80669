internal import Platform
internal import Synchronization

/// Memory pressure as Linux tells it: of this process's control group, or of the machine.
///
/// One thread waits, for as long as somebody listens. On systems that say nothing of memory, as all but Linux, it never tells anything.
public final class SystemMemoryPressure: MemoryPressureSource {
    /// The source that everything in the process can share.
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

    /// - Parameters:
    ///   - root: Where the system's files are.
    ///   - usesTriggers: Whether the system may be asked to wake the thread.
    ///   - interval: Milliseconds between looks where it isn't; below 0: only on `check()`.
    package init(root: String, usesTriggers: Bool, interval: Int) {
        self.root = root
        self.usesTriggers = usesTriggers
        self.interval = CInt(clamping: interval)
    }

    /// Calls `handler`, from a thread that waits for nothing else, so it should return soon.
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
            // What it holds is let go here, not under the lock.
            _ = consume handler
        }
    }

    /// Whether there is a thread.
    package var isWatching: Bool { state.withLock { $0.watch != nil } }

    /// Has the thread look now instead of when it is time to.
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
