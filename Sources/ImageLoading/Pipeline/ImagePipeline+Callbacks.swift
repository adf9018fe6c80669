#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension ImagePipeline {
    /// Loads the picture at `url`, and calls back.
    @discardableResult
    public func loadImage(
        with url: URL,
        progress: (@Sendable (_ preview: ImageResponse?, _ completed: Int, _ total: Int) -> Void)? = nil,
        completion: @escaping @Sendable (Result<ImageResponse, Error>) -> Void
    ) -> ImageTask {
        loadImage(with: ImageRequest(url: url), progress: progress, completion: completion)
    }

    /// Loads the picture that `request` asks for, and calls back, one call at a time.
    /// - Parameters:
    ///   - progress: Called with each preview, and with nil when only the number of bytes has changed. The total is 0
    ///     while it isn't known.
    ///   - completion: Called once, at the end.
    @discardableResult
    public func loadImage(
        with request: ImageRequest,
        progress: (@Sendable (_ preview: ImageResponse?, _ completed: Int, _ total: Int) -> Void)? = nil,
        completion: @escaping @Sendable (Result<ImageResponse, Error>) -> Void
    ) -> ImageTask {
        let task = imageTask(with: request)
        Task {
            for await event in task.events {
                let bytes = task.currentProgress
                switch event {
                case .progress(let bytes): progress?(nil, bytes.completedByteCount, bytes.totalByteCount ?? 0)
                case .preview(let preview): progress?(preview, bytes.completedByteCount, bytes.totalByteCount ?? 0)
                case .finished(let result): completion(result)
                }
            }
        }
        return task
    }
}
