/// Something that is told what a pipeline does: logs, metrics, traces.
///
/// `taskWasCreated` is called by whoever makes the task, everything else on the concurrent pool, in the order in which
/// things happen to one task, and never under a lock of the pipeline's. A slow observer delays no image: it is told of
/// fewer steps of progress.
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

extension ImageLoader {
    /// Has the observers told what becomes of `task`, from its beginning.
    func observe(_ task: ImageTask) {
        let observers = configuration.observers
        guard !observers.isEmpty else { return }
        for observer in observers { observer.taskWasCreated(task.id, request: task.request) }
        Task {
            for observer in observers { observer.taskDidStart(task.id, request: task.request) }
            for await event in task.events {
                for observer in observers { observer.tell(event, of: task) }
            }
        }
    }
}

extension ImagePipelineObserving {
    fileprivate func tell(_ event: ImageTask.Event, of task: ImageTask) {
        switch event {
        case .progress(let progress):
            taskDidProgress(
                task.id, request: task.request, receivedByteCount: progress.completedByteCount,
                expectedByteCount: progress.totalByteCount)
        case .preview: break
        case .finished(let result):
            let metrics =
                switch result {
                case .success(let response): response.metrics
                case .failure:
                    ImageTaskMetrics(total: .now - task.start, byteCount: task.currentProgress.completedByteCount)
                }
            taskDidFinish(task.id, request: task.request, result: result, metrics: metrics)
        }
    }
}
