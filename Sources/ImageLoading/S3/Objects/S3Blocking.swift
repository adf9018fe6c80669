#if HTTP
internal import Dispatch
internal import Raster
internal import Synchronization

/// Waits for asynchronous work on a thread that may block, such as one of `ImageExecutor`.
package enum S3Blocking {
    /// The work has its own threads: if a thread of Swift's pool waits here, the work doesn't need that pool.
    private static let executor = ImageExecutor(width: 16, isWaitedFor: true)

    /// Returns the result of `work`, which is cancelled with the calling task.
    package static func value<R: Sendable>(_ work: @escaping @Sendable () async throws -> R) throws -> R {
        let outcome = Outcome<R>()
        let done = DispatchSemaphore(value: 0)
        let task = Task.detached(executorPreference: executor) {
            do {
                outcome.set(.success(try await work()))
            } catch {
                outcome.set(.failure(error))
            }
            done.signal()
        }
        while done.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
            if Task.isCancelled { task.cancel() }
        }
        return try outcome.get()
    }

    /// The result, which the work sets before it signals.
    private final class Outcome<R: Sendable>: Sendable {
        private let result = Mutex<Result<R, any Error>>(.failure(CancellationError()))

        func set(_ value: Result<R, any Error>) { result.withLock { $0 = value } }
        func get() throws -> R { try result.withLock { $0 }.get() }
    }
}
#endif
