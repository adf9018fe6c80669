internal import Raster
internal import Synchronization

/// Work that is done once, when somebody first wants what comes of it.
final class SharedTask<Value: Sendable>: Sendable {
    private let work: @Sendable () throws(ImageError) -> Value
    private let task = Mutex<Task<Result<Value, ImageError>, Never>?>(nil)
    private let outcome = Mutex<Result<Value, ImageError>?>(nil)

    init(_ work: @escaping @Sendable () throws(ImageError) -> Value) { self.work = work }

    /// What came of it; nil while nothing has.
    var result: Result<Value, ImageError>? { outcome.withLock { $0 } }

    /// What came of it, begun now if it wasn't yet. Who is cancelled leaves it to the others.
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
