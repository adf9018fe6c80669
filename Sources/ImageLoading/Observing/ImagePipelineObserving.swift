/// Something that is told what a pipeline does: logs, metrics, traces.
///
/// Called from any thread, in the order in which things happen to one task, and never under a lock of the pipeline's. It
/// should return soon: the task waits for it.
public protocol ImagePipelineObserving: Sendable {
    /// A task was made for `request`. `task` is its number within the process.
    func taskWasCreated(_ task: Int, request: ImageRequest)
    /// The task began, or joined others' work.
    func taskDidStart(_ task: Int, request: ImageRequest)
    /// Bytes have arrived: so many, of so many where that is known.
    func taskDidProgress(_ task: Int, request: ImageRequest, receivedByteCount: Int, expectedByteCount: Int?)
    /// The task came to its end, once, as `result` says; `metrics` are also those of a task that failed.
    func taskDidFinish(
        _ task: Int, request: ImageRequest, result: Result<ImageResponse, ImagePipeline.Error>,
        metrics: ImageTaskMetrics)
}

extension ImagePipelineObserving {
    /// Nothing.
    public func taskWasCreated(_ task: Int, request: ImageRequest) {}
    /// Nothing.
    public func taskDidStart(_ task: Int, request: ImageRequest) {}
    /// Nothing.
    public func taskDidProgress(_ task: Int, request: ImageRequest, receivedByteCount: Int, expectedByteCount: Int?) {}
    /// Nothing.
    public func taskDidFinish(
        _ task: Int, request: ImageRequest, result: Result<ImageResponse, ImagePipeline.Error>,
        metrics: ImageTaskMetrics
    ) {}
}
