#if HTTP
internal import AsyncHTTPClient
internal import Essentials
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// A way to servers.
struct HTTPRoute: Hashable {
    /// The proxy; nil for none.
    var proxy: HTTPProxy?
    /// Whether targets are written by `HTTPTarget`.
    var writesTarget: Bool
}

/// The connections of one route, closed when the last user releases them.
final class HTTPConnections: Sendable {
    private let client: HTTPClient
    private let route: HTTPRoute
    private let answered = Atomic(false)
    /// Whether a server has answered on one of the connections, so that later requests may reuse an old one.
    var mayBeOld: Bool { answered.load(ordering: .relaxed) }

    init(_ configuration: HTTPDataLoader.Configuration, _ route: HTTPRoute) {
        self.route = route
        var settings = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(
                connect: TimeAmount(configuration.connectTimeout), read: TimeAmount(configuration.idleTimeout),
                write: TimeAmount(configuration.idleTimeout)))
        settings.proxy = route.proxy.map(Self.proxy)
        settings.dnsOverride = configuration.hostAddresses
        // The pipeline's queue limits concurrency; requests that waited here would run into the connect timeout.
        settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 256
        // `DataFetcher` does the retries.
        settings.connectionPool.retryConnectionEstablishment = false
        settings.decompression = .disabled
        if route.writesTarget { HTTPTarget.write(by: &settings) }
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings)
    }

    // The client must be shut down before it is released. Bodies that are still being read keep these connections
    // alive.
    deinit { client.shutdown { _ in } }

    /// Sends a request and returns when the response's header has arrived.
    /// - Throws: The client's errors, unchanged.
    func execute(_ request: DataRequest) async throws -> HTTPClientResponse {
        var message = HTTPClientRequest(url: request.url.absoluteString)
        message.method = .RAW(value: request.method)
        if let body = request.body { message.body = .bytes(body) }
        for field in request.headers.fields { message.headers.add(name: field.name, value: field.value) }
        if route.writesTarget { HTTPTarget.set(request.url, &message.headers) }
        // Idle and connect timeouts apply; a day stands for no overall limit.
        let response = try await client.execute(message, timeout: .hours(24))
        answered.store(true, ordering: .relaxed)
        return response
    }

    private static func proxy(_ proxy: HTTPProxy) -> HTTPClient.Configuration.Proxy {
        switch proxy.kind {
        case .socks5: return .socksServer(host: proxy.host, port: proxy.port)
        case .http:
            guard let credentials = proxy.credentials else { return .server(host: proxy.host, port: proxy.port) }
            let encoded = Data(credentials.utf8).base64EncodedString()
            return .server(host: proxy.host, port: proxy.port, authorization: .basic(credentials: encoded))
        }
    }
}
#endif
