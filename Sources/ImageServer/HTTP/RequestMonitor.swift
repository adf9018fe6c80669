#if Server
internal import HTTPTypes
internal import ImageFormats
internal import Logging
internal import Metrics
internal import Platform
internal import Synchronization

/// Counts and logs requests.
final class RequestMonitor: Sendable {
    private let logger: Logger
    private let logsAccess: Bool
    private let accessLog: AccessLog?
    private let proxies: TrustedProxies
    private let counters: [Int: Counter]
    private let bytes: Counter
    private let timer: Metrics.Timer
    /// Starts with the current time, so that identifiers differ between runs.
    private let lastID = Atomic<UInt64>(UInt64(max(0, time(nil))) << 20)

    init(
        _ logger: Logger, logsAccess: Bool, accessLog: AccessLogFormat? = nil, proxies: TrustedProxies,
        factory: any MetricsFactory
    ) {
        self.logger = logger
        self.logsAccess = logsAccess && accessLog == nil
        self.accessLog = accessLog.map { AccessLog(format: $0) }
        self.proxies = proxies
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

    /// A new unique identifier.
    func makeID() -> String { String(lastID.wrappingAdd(1, ordering: .relaxed).newValue, radix: 36) }

    private static let forwardedFor = HTTPField.Name("X-Forwarded-For")
    private static let requestID = HTTPField.Name("X-Request-Id")

    /// The address of a request's client: the connection's, or the one that a trusted proxy has.
    func client(_ request: HTTPRequest, _ peer: String?) -> String {
        proxies.client(
            peer ?? "-", forwarded: Self.forwardedFor.map { request.headerFields[values: $0] } ?? [])
    }

    /// The fields that a trusted proxy has added to a request.
    func forwarding(_ request: HTTPRequest, _ peer: String?) -> Forwarding {
        proxies.forwarding(peer ?? "-") { name in HTTPField.Name(name).map { request.headerFields[values: $0] } ?? [] }
    }

    /// The identifier that a proxy has given the request; nil for none, or one that isn't short and plain.
    func id(of request: HTTPRequest) -> String? {
        guard let id = Self.requestID.flatMap({ request.headerFields[$0] }), (1...128).contains(id.utf8.count),
            id.utf8.allSatisfy({ $0.isLetterOrDigit || "-_.".utf8.contains($0) })
        else { return nil }
        return id
    }

    /// Records an answered request in the metrics and the log.
    /// - Parameters:
    ///   - client: The client's address.
    ///   - id: The request's identifier, if the response contains one; nil to make one.
    ///   - reason: The error message of a failed request.
    func note(
        _ request: HTTPRequest, client: String?, id: String? = nil, status: Int, byteCount: Int, duration: Duration,
        reason: String? = nil
    ) {
        counters[status / 100]?.increment()
        bytes.increment(by: byteCount)
        let parts = duration.components
        let nanoseconds = parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000
        timer.recordNanoseconds(nanoseconds)
        let id = id ?? self.id(of: request)
        let client = self.client(request, client)
        if let accessLog {
            let fields = request.headerFields
            accessLog.write(
                AccessLog.Entry(
                    client: client, id: id ?? makeID(), method: request.method.rawValue, target: request.path ?? "*",
                    host: request.authority, status: status, byteCount: byteCount, microseconds: nanoseconds / 1000,
                    referrer: fields[.referer], userAgent: fields[.userAgent], reason: reason, time: Int64(time(nil))))
        }
        // Damaged images and failing disks are logged even without an access log; a busy server isn't.
        let isFault = status == 422 || status >= 500 && status != 503
        guard logsAccess || isFault else { return }
        var metadata: Logger.Metadata = ["client": "\(client)", "id": "\(id ?? makeID())"]
        if let reason { metadata["reason"] = "\(reason)" }
        logger.log(
            level: isFault ? .warning : .info,
            "\(request.method.rawValue) \(request.path ?? "*") \(status) \(byteCount) B \(nanoseconds / 1000) us",
            metadata: metadata)
    }
}
#endif
