#if HTTP
internal import AsyncHTTPClient
internal import Essentials
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// Connections that are kept for one way to servers, and closed when nobody needs them any longer.
final class HTTPConnections: Sendable {
    private let client: HTTPClient
    private let answered = Atomic(false)
    /// Whether a server has answered on one of the connections, so that later requests may be sent on an old one.
    var mayBeOld: Bool { answered.load(ordering: .relaxed) }

    init(_ configuration: HTTPDataLoader.Configuration, _ proxy: HTTPProxy?) {
        var settings = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(
                connect: TimeAmount(configuration.connectTimeout), read: TimeAmount(configuration.idleTimeout),
                write: TimeAmount(configuration.idleTimeout)))
        settings.proxy = proxy.map(Self.proxy)
        settings.dnsOverride = configuration.hostAddresses
        // How many run at a time is decided above; what waits here would run out of time for connecting.
        settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 256
        // So is what is tried again.
        settings.connectionPool.retryConnectionEstablishment = false
        settings.decompression = .disabled
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings)
    }

    // It wants to be told before it goes. Bodies that are still read hold on to these connections.
    deinit { client.shutdown { _ in } }

    /// Sends a request and returns when the response is known.
    /// - Throws: What the client reports, as it does.
    func execute(_ request: DataRequest) async throws -> HTTPClientResponse {
        var message = HTTPClientRequest(url: request.url.absoluteString)
        for field in request.headers.fields { message.headers.add(name: field.name, value: field.value) }
        // Silence is limited, and so is connecting; a day is as good as no limit.
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
