import Dispatch
import Synchronization

/// Runs `work` to its end and hands back what it returns: subjects are measured by a thread that waits.
func waiting<Result: Sendable>(for work: @escaping @Sendable () async throws -> Result) throws -> Result {
    let end = DispatchSemaphore(value: 0)
    let result = Mutex<Swift.Result<Result, any Error>?>(nil)
    Task {
        let outcome: Swift.Result<Result, any Error>
        do { outcome = .success(try await work()) } catch { outcome = .failure(error) }
        result.withLock { $0 = outcome }
        end.signal()
    }
    end.wait()
    return try result.withLock { $0! }.get()
}
