internal import Raster
internal import Synchronization

/// Work that is done once, when somebody first wants what comes of it.
final class SharedTask<Value: Sendable>: Sendable {
    private let work: @Sendable () throws(ImageError) -> Value
    private let task = Mutex<Task<Result<Value, ImageError>, Never>?>(nil)

    init(_ work: @escaping @Sendable () throws(ImageError) -> Value) { self.work = work }

    /// What came of it, begun now if it wasn't yet. Who is cancelled leaves it to the others.
    func value() async throws(ImageError) -> Value {
        let task = task.withLock { task in
            if let task { return task }
            let work = work
            let new = Task { () -> Result<Value, ImageError> in
                do throws(ImageError) {
                    return .success(try await ImageExecutor.run { () throws(ImageError) in try work() })
                } catch {
                    return .failure(error)
                }
            }
            task = new
            return new
        }
        return try await task.value.get()
    }
}
