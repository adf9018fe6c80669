internal import Dispatch
internal import Platform
internal import Synchronization

/// Runs decoding, scaling and encoding: a task executor with its own, bounded number of threads, so that the
/// cooperative pool stays free for work that only waits.
///
/// ```swift
/// let bitmap = try await withTaskExecutorPreference(ImageExecutor.shared) { try decode() }
/// ```
public final class ImageExecutor: TaskExecutor {
    /// The executor with one thread per processor.
    public static let shared = ImageExecutor(width: ImageExecutor.processorCount)

    /// The number of jobs that run concurrently.
    public let width: Int

    private struct State {
        var waiting: [UnownedJob] = []
        var head = 0
        var running = 0
        /// The queues on which nothing runs.
        var idle: [DispatchQueue] = []
    }

    private let state = Mutex(State())
    private let quality: DispatchQoS

    /// An executor that runs at most `width` jobs at a time, first come, first served.
    public convenience init(width: Int) { self.init(width: width, isWaitedFor: false) }

    /// - Parameter isWaitedFor: Whether jobs of other executors block their threads until this one's are done. Dispatch has at
    ///   most 255 threads for each class of work, so these have another class.
    package init(width: Int, isWaitedFor: Bool) {
        self.width = max(1, width)
        quality = isWaitedFor ? .default : .userInitiated
    }

    /// The number of processors available to this process.
    public static var processorCount: Int { ProcessorCount.available }

    /// Enqueues a job.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let starting: DispatchQueue? = state.withLock { state in
            state.waiting.append(job)
            guard state.running < width else { return nil }
            state.running += 1
            // A serial queue gets a thread at once. A concurrent one shares a thread for each processor with all others of the
            // process: it would wait for what computes there, and for a second where all of these threads wait themselves.
            return state.idle.popLast() ?? DispatchQueue(label: "tessera.image-executor", qos: quality)
        }
        if let starting { starting.async { self.drain(on: starting) } }
    }

    private func drain(on queue: DispatchQueue) {
        while true {
            let next: UnownedJob? = state.withLock { state in
                guard state.head < state.waiting.count else {
                    state.waiting.removeAll(keepingCapacity: true)
                    state.head = 0
                    state.running -= 1
                    state.idle.append(queue)
                    return nil
                }
                let job = state.waiting[state.head]
                state.head += 1
                // Even if the queue never gets empty, waiters that were served must be able to leave it.
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
    /// Runs CPU-bound work on the executor's threads.
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
