import Dispatch
import Synchronization

/// Waits on libFuzzer's thread for what is asynchronous.
enum Blocking {
    /// What `work` returns.
    static func run<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) -> Result {
        let place = Place<Result>()
        let done = DispatchSemaphore(value: 0)
        Task {
            let result = await work()
            place.value.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        guard let result = place.value.withLock({ $0 }) else { preconditionFailure("signalled without a result") }
        return result
    }

    private final class Place<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }
}
