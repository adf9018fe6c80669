#if Observability
public import Logging

/// Logs one line for each finished task: successes, cancellations and images missing from the cache at `debug`, loading
/// errors at `warning`, other errors at `error`.
///
/// Metadata: `url`, `task`, `source`, `joined`, `bytes`, `total_ms`, and for each stage `decode_ms` and
/// `decode_waiting_ms`; for failures also `stage` and `error`.
public struct LoggingObserver: ImagePipelineObserving {
    private let logger: Logger

    /// Creates an observer that writes to `logger`.
    public init(logger: Logger) { self.logger = logger }

    /// Logs the task.
    public func taskDidFinish(
        _ task: Int, request: ImageRequest, result: Result<ImageResponse, ImagePipeline.Error>,
        metrics: ImageTaskMetrics
    ) {
        let level = Self.level(result)
        guard logger.logLevel <= level else { return }
        var metadata: Logger.Metadata = [
            "task": "\(task)", "url": "\(request.description)", "bytes": "\(metrics.byteCount)",
            "total_ms": Self.milliseconds(metrics.total),
        ]
        for stage in metrics.stages {
            metadata["\(stage.name.rawValue)_ms"] = Self.milliseconds(stage.working)
            metadata["\(stage.name.rawValue)_waiting_ms"] = Self.milliseconds(stage.waiting)
        }
        switch result {
        case .success(let response):
            metadata["source"] = "\(response.source.rawValue)"
            if response.isJoined { metadata["joined"] = "true" }
            logger.log(level: level, "image loaded", metadata: metadata)
        case .failure(let error):
            metadata["error"] = "\(error)"
            if let stage = error.stage { metadata["stage"] = "\(stage.rawValue)" }
            let isCancelled = if case .cancelled = error { true } else { false }
            logger.log(level: level, isCancelled ? "image cancelled" : "image not loaded", metadata: metadata)
        }
    }

    private static func level(_ result: Result<ImageResponse, ImagePipeline.Error>) -> Logger.Level {
        guard case .failure(let error) = result else { return .debug }
        switch error {
        // Caused by the program.
        case .cancelled, .dataMissingInCache: return .debug
        // Caused by the server or the network.
        case .dataLoadingFailed, .dataIsEmpty, .dataExceedsMaximumByteCount: return .warning
        case .circularRequest, .decoderNotRegistered, .decodingFailed, .processingFailed: return .error
        }
    }

    /// Milliseconds, rounded to three decimals.
    private static func milliseconds(_ duration: Duration) -> Logger.MetadataValue {
        let microseconds = duration / .microseconds(1)
        return "\((microseconds).rounded() / 1000)"
    }
}
#endif
