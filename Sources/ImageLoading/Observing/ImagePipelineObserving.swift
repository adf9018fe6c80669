/// An observer of a pipeline's tasks, for logs, metrics and traces.
///
/// `taskWasCreated` is called by the thread that creates the task, all other methods on the concurrent pool, in order
/// for each task, and never under a pipeline lock. A slow observer delays no image; it receives fewer progress events.
public protocol ImagePipelineObserving: Sendable {
    /// Called when a task is created. `task` is its number within the process.
    func taskWasCreated(_ task: Int, request: ImageRequest)
    /// Called when the task starts, or joins another one's work.
    func taskDidStart(_ task: Int, request: ImageRequest)
    /// Called when bytes arrive, with the number received and, if known, the total.
    func taskDidProgress(_ task: Int, request: ImageRequest, receivedByteCount: Int, expectedByteCount: Int?)
    /// Called once when the task ends. Failed tasks have metrics too.
    func taskDidFinish(
        _ task: Int, request: ImageRequest, result: Result<ImageResponse, ImagePipeline.Error>,
        metrics: ImageTaskMetrics)
}

extension ImagePipelineObserving {
    /// Does nothing.
    public func taskWasCreated(_ task: Int, request: ImageRequest) {}
    /// Does nothing.
    public func taskDidStart(_ task: Int, request: ImageRequest) {}
    /// Does nothing.
    public func taskDidProgress(_ task: Int, request: ImageRequest, receivedByteCount: Int, expectedByteCount: Int?) {}
    /// Does nothing.
    public func taskDidFinish(
        _ task: Int, request: ImageRequest, result: Result<ImageResponse, ImagePipeline.Error>,
        metrics: ImageTaskMetrics
    ) {}
}

extension ImageLoader {
    /// Reports `task` to the observers, from its creation.
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
