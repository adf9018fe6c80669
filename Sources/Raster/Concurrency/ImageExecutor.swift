internal import Dispatch
internal import Platform
internal import Synchronization

/// Where decoding, scaling and encoding run: a task executor with a bounded number of threads of its own, so that the
/// cooperative pool stays free for work that only waits.
///
/// ```swift
/// let bitmap = try await withTaskExecutorPreference(ImageExecutor.shared) { try decode() }
/// ```
public final class ImageExecutor: TaskExecutor {
    /// As many threads as there are processors.
    public static let shared = ImageExecutor(width: ImageExecutor.processorCount)

    /// How many jobs run at a time.
    public let width: Int

    private struct State {
        var waiting: [UnownedJob] = []
        var head = 0
        var running = 0
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "tessera.image-executor", qos: .userInitiated, attributes: .concurrent)

    /// An executor that runs at most `width` jobs at a time, first come, first served.
    public init(width: Int) {
        self.width = max(1, width)
    }

    /// How many processors the system offers this process.
    public static var processorCount: Int { ProcessorCount.available }

    /// Puts a job in line.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let starts = state.withLock { state in
            state.waiting.append(job)
            guard state.running < width else { return false }
            state.running += 1
            return true
        }
        if starts { queue.async { self.drain() } }
    }

    private func drain() {
        while true {
            let next: UnownedJob? = state.withLock { state in
                guard state.head < state.waiting.count else {
                    state.waiting.removeAll(keepingCapacity: true)
                    state.head = 0
                    state.running -= 1
                    return nil
                }
                let job = state.waiting[state.head]
                state.head += 1
                // Where the line never gets empty, those who are served still have to leave it.
                if state.head >= 256, state.head * 2 >= state.waiting.count {
                    state.waiting.removeFirst(state.head)
                    state.head = 0
                }
                return job
            }
            guard let next else { return }
            next.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

extension ImageExecutor {
    /// Does work that takes a processor, not just time, on the executor's threads.
    package func run<R: Sendable, E: Error>(_ body: @Sendable () throws(E) -> R) async throws(E) -> R {
        // What `withTaskExecutorPreference` throws has no type.
        let result: Result<R, E> = await withTaskExecutorPreference(self) {
            do throws(E) {
                return .success(try body())
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
