#if Observability
public import Metrics

/// Records counters and timers for a pipeline's tasks.
///
/// - `image_tasks_finished_total`, by `source` and `joined`: tasks that succeeded.
/// - `image_tasks_failed_total`, by `stage`, or `none` if no stage had begun; `image_tasks_cancelled_total`.
/// - `image_task_duration`: from start to end; `image_stage_duration` and `image_stage_waiting_duration`, by `stage`.
/// - `image_bytes_received_total`.
public struct MetricsObserver: ImagePipelineObserving {
    private let prefix: String
    private let factory: any MetricsFactory

    /// Creates an observer.
    /// - Parameters:
    ///   - prefix: The prefix of the metrics' names.
    ///   - factory: The metrics backend; nil for the process's, which must be bootstrapped before.
    public init(prefix: String = "image", factory: (any MetricsFactory)? = nil) {
        self.prefix = prefix
        self.factory = factory ?? MetricsSystem.factory
    }

    /// Records the task.
    public func taskDidFinish(
        _ task: Int, request: ImageRequest, result: Result<ImageResponse, ImagePipeline.Error>,
        metrics: ImageTaskMetrics
    ) {
        switch result {
        case .success(let response):
            count("tasks_finished", [("source", response.source.rawValue), ("joined", "\(response.isJoined)")])
        case .failure(.cancelled):
            count("tasks_cancelled", [])
        case .failure(let error):
            count("tasks_failed", [("stage", error.stage?.rawValue ?? "none")])
        }
        time("task_duration", [], metrics.total)
        for stage in metrics.stages {
            time("stage_duration", [("stage", stage.name.rawValue)], stage.working)
            time("stage_waiting_duration", [("stage", stage.name.rawValue)], stage.waiting)
        }
        if metrics.byteCount > 0 { count("bytes_received", [], by: metrics.byteCount) }
    }

    private func count(_ name: String, _ dimensions: [(String, String)], by amount: Int = 1) {
        Counter(label: "\(prefix)_\(name)_total", dimensions: dimensions, factory: factory).increment(by: amount)
    }

    private func time(_ name: String, _ dimensions: [(String, String)], _ duration: Duration) {
        Timer(label: "\(prefix)_\(name)", dimensions: dimensions, factory: factory).record(duration: duration)
    }
}
#endif
