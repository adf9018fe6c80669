internal import Dispatch
internal import Raster
internal import Synchronization

/// Waits for asynchronous work. Only for threads of the caller, which may block.
enum Waiting {
    private final class Box<R: Sendable>: Sendable {
        let result = Mutex<Result<R, ImageError>?>(nil)
    }

    static func result<R: Sendable>(
        _ work: @escaping @Sendable () async throws(ImageError) -> R
    ) throws(ImageError) -> R {
        let box = Box<R>()
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            let result: Result<R, ImageError>
            do throws(ImageError) {
                result = .success(try await work())
            } catch {
                result = .failure(error)
            }
            box.result.withLock { $0 = result }
            isDone.signal()
        }
        isDone.wait()
        guard let result = box.result.withLock({ $0 }) else {
            throw ImageError(.cancelled, "the work ended without a result")
        }
        return try result.get()
    }
}
