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
