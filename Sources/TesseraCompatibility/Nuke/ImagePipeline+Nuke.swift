public import Dispatch
public import Essentials
public import ImageLoading

extension ImagePipeline {
    /// Loads the image at `url` with callbacks on `queue`, like the form with a request.
    @discardableResult
    public func loadImage(
        with url: URL, queue: DispatchQueue,
        progress: (@Sendable (_ preview: ImageResponse?, _ completed: Int, _ total: Int) -> Void)? = nil,
        completion: @escaping @Sendable (Result<ImageResponse, Error>) -> Void
    ) -> ImageTask {
        loadImage(with: ImageRequest(url: url), queue: queue, progress: progress, completion: completion)
    }

    /// Loads the image for `request` with callbacks on `queue`, in order if it is a serial queue.
    ///
    /// Without a queue, callbacks run on the actor of the code that they are written in, so those of a view need none.
    /// - Parameters:
    ///   - progress: Called with each preview, and with nil when only the number of bytes has changed. The total is 0
    ///     if it is unknown.
    ///   - completion: Called once, at the end, also with `Error.cancelled`.
    @discardableResult
    public func loadImage(
        with request: ImageRequest, queue: DispatchQueue,
        progress: (@Sendable (_ preview: ImageResponse?, _ completed: Int, _ total: Int) -> Void)? = nil,
        completion: @escaping @Sendable (Result<ImageResponse, Error>) -> Void
    ) -> ImageTask {
        var queuedProgress: (@Sendable (ImageResponse?, Int, Int) -> Void)?
        if let progress {
            queuedProgress = { preview, completed, total in queue.async { progress(preview, completed, total) } }
        }
        return loadImage(with: request, progress: queuedProgress) { result in queue.async { completion(result) } }
    }
}

extension ImagePipeline.Queue {
    /// The maximum number of concurrent jobs, as an operation queue has it; a negative number means no limit.
    public var maxConcurrentOperationCount: Int {
        get { width }
        set { width = newValue < 0 ? .max : max(1, newValue) }
    }
}
