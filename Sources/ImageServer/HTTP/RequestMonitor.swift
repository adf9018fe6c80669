#if Server
internal import HTTPTypes
internal import Logging
internal import Metrics
internal import Synchronization

/// Counts and logs requests.
final class RequestMonitor: Sendable {
    private let logger: Logger
    private let logsAccess: Bool
    private let counters: [Int: Counter]
    private let bytes: Counter
    private let timer: Metrics.Timer

    init(_ logger: Logger, logsAccess: Bool, factory: any MetricsFactory) {
        self.logger = logger
        self.logsAccess = logsAccess
        counters = Dictionary(
            uniqueKeysWithValues: (1...5).map {
                (
                    $0,
                    Counter(label: "tessera_http_requests_total", dimensions: [("status", "\($0)xx")], factory: factory)
                )
            })
        bytes = Counter(label: "tessera_http_response_bytes_total", factory: factory)
        timer = Metrics.Timer(label: "tessera_http_request_seconds", factory: factory)
    }

    /// A request has been answered.
    func note(_ request: HTTPRequest, status: Int, byteCount: Int, duration: Duration) {
        counters[status / 100]?.increment()
        bytes.increment(by: byteCount)
        let parts = duration.components
        let nanoseconds = parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000
        timer.recordNanoseconds(nanoseconds)
        guard logsAccess else { return }
        logger.info(
            "\(request.method.rawValue) \(request.path ?? "*") \(status) \(byteCount) B \(nanoseconds / 1000) us")
    }
}
#endif
