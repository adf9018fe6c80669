internal import CTesseraShim
internal import Raster

/// Ends coding early, including within C libraries, through a flag that is set when the task is cancelled.
///
/// Decoders, encoders and the functions that drive them check the current task's interruption between strips of rows;
/// shims check it within their library's loops if the library has a hook. Without an interruption, nothing is checked.
package final class Interruption: @unchecked Sendable {
    // Unchecked: the flag is atomic, and is freed only with the last reference to this object.
    let flag: OpaquePointer

    @TaskLocal package static var current: Interruption?

    /// - Throws: `outOfMemory`.
    private init() throws(ImageError) {
        guard let flag = tessera_stop_create() else { throw ImageError(.outOfMemory, "out of memory") }
        self.flag = flag
    }

    deinit { tessera_stop_destroy(flag) }

    /// Runs `body` so that cancelling the task ends the coding within it.
    package static func perform<R: Sendable>(
        _ body: @Sendable () async throws(ImageError) -> R
    ) async throws(ImageError) -> R {
        let interruption = try Interruption()
        // Errors thrown through these functions lose their type.
        let result: Result<R, ImageError> = await withTaskCancellationHandler {
            await $current.withValue(interruption) {
                do throws(ImageError) {
                    return .success(try await body())
                } catch {
                    return .failure(error)
                }
            }
        } onCancel: {
            tessera_stop_request(interruption.flag)
        }
        return try result.get()
    }

    /// Runs `body` so that `request()` ends the coding within it.
    package static func interruptible<R>(
        _ body: (Interruption) throws(ImageError) -> R
    ) throws(ImageError) -> R {
        let interruption = try Interruption()
        // Errors thrown through this function lose their type.
        let result: Result<R, ImageError> = $current.withValue(interruption) {
            Result { () throws(ImageError) in try body(interruption) }
        }
        return try result.get()
    }

    /// Ends the coding; it throws `cancelled` when it next checks. From any thread.
    package func request() { tessera_stop_request(flag) }

    /// - Throws: `cancelled` if the current task's interruption has been requested.
    package static func check() throws(ImageError) {
        guard let current, tessera_stop_is_requested(current.flag) else { return }
        throw ImageError(.cancelled, "cancelled")
    }
}

extension RowSink {
    /// Writes all rows of `bitmap`: at once, or in strips if the task can be interrupted between them.
    func writeRows(of bitmap: Bitmap) throws(ImageError) {
        guard Interruption.current != nil else { return try write(bitmap.rows) }
        let height = bitmap.height
        // Large enough to occupy all processors.
        let stripHeight = max(16, (8 << 20) / max(1, bitmap.bytesPerRow))
        for first in stride(from: 0, to: height, by: stripHeight) {
            try Interruption.check()
            try write(bitmap.rows.extracting(first..<min(height, first + stripHeight)))
        }
    }
}
