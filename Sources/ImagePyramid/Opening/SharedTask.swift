internal import Raster
internal import Synchronization

/// Work that is done once, when its result is first requested.
final class SharedTask<Value: Sendable>: Sendable {
    private let work: @Sendable () throws(ImageError) -> Value
    private let task = Mutex<Task<Result<Value, ImageError>, Never>?>(nil)
    private let outcome = Mutex<Result<Value, ImageError>?>(nil)

    init(_ work: @escaping @Sendable () throws(ImageError) -> Value) { self.work = work }

    /// The result; nil until the work is done.
    var result: Result<Value, ImageError>? { outcome.withLock { $0 } }

    /// Returns the result, starting the work if necessary. Cancelling a caller doesn't cancel the work for the others.
    func value() async throws(ImageError) -> Value {
        let task = task.withLock { task in
            if let task { return task }
            let work = work
            let new = Task { () -> Result<Value, ImageError> in
                let result: Result<Value, ImageError>
                do throws(ImageError) {
                    result = .success(try await ImageExecutor.shared.run { () throws(ImageError) in try work() })
                } catch {
                    result = .failure(error)
                }
                self.outcome.withLock { $0 = result }
                return result
            }
            task = new
            return new
        }
        return try await task.value.get()
    }
}
