internal import Raster

extension ImageExecutor {
    /// Does work that takes a processor, not just time, on the threads that there are for it.
    static func run<R: Sendable>(
        _ body: @Sendable () throws(ImageError) -> R
    ) async throws(ImageError) -> R {
        let result: Result<R, ImageError> = await withTaskExecutorPreference(shared) {
            do throws(ImageError) {
                return .success(try body())
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
