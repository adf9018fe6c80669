#if HTTP
internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Loads over HTTP and HTTPS, versions 1.1 and 2, by async-http-client.
///
/// Redirections are followed. Bytes come as they were sent: nothing is asked to be compressed on the way, since pictures
/// already are.
public final class HTTPDataLoader: DataLoading {
    /// The loader that everybody shares who needs no other.
    public static let shared = HTTPDataLoader()

    /// How requests are sent.
    public let configuration: Configuration

    /// A client for each way through a proxy, and one for the direct one.
    private let clients = Mutex<[HTTPProxy?: HTTPConnections]>([:])

    /// A loader with connections of its own, which are closed when it goes.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// Loads what is at `request.url`, redirections followed.
    /// - Throws: `DataLoadingError.transport` or `unsupportedURL`; `CancellationError`. Any status is a response.
    public func load(_ request: DataRequest) async throws -> DataDownload {
        var request = request
        for field in configuration.headers.fields where request.headers[field.name] == nil {
            request.headers.add(field.name, field.value)
        }
        if request.headers["Accept-Encoding"] == nil { request.headers.add("Accept-Encoding", "identity") }
        var redirectCount = 0
        while true {
            let connections = try connections(to: request.url)
            let response = try await connections.execute(request)
            guard configuration.followsRedirects,
                let next = try HTTPRedirect.next(
                    request, status: Int(response.status.code), location: response.headers.first(name: "Location"))
            else { return Self.download(request.url, response, connections) }
            redirectCount += 1
            guard redirectCount <= configuration.maximumRedirectCount else {
                throw DataLoadingError.transport(
                    DataTransportFailure(
                        .tooManyRedirects,
                        "\(request.url.host() ?? "the server") redirects more than \(redirectCount - 1) times"))
            }
            request = next
        }
    }

    private func connections(to url: URL) throws -> HTTPConnections {
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https", let host = url.host(),
            !host.isEmpty
        else { throw DataLoadingError.unsupportedURL(url.absoluteString) }
        var proxy: HTTPProxy?
        switch configuration.proxies.route(scheme: scheme, host: host, port: url.port) {
        case .direct: break
        case .proxy(let found): proxy = found
        case .unusable(let text):
            throw DataLoadingError.transport(DataTransportFailure(.proxy, "the proxy \(text) can't be used"))
        }
        return clients.withLock { clients in
            if let found = clients[proxy] { return found }
            let made = HTTPConnections(configuration, proxy)
            clients[proxy] = made
            return made
        }
    }

    private static func download(
        _ url: URL, _ response: HTTPClientResponse, _ connections: HTTPConnections
    ) -> DataDownload {
        var headers = HTTPHeaders()
        for (name, value) in response.headers { headers.add(name, value) }
        let byteCount = headers["Content-Length"].flatMap { Int($0.trimmedHTTPWhitespace) }
        return DataDownload(
            response: DataResponse(
                url: url, statusCode: Int(response.status.code), headers: headers,
                expectedByteCount: byteCount.flatMap { $0 >= 0 ? $0 : nil }),
            body: DataChunks(HTTPBody(body: response.body, host: url.host() ?? "", connections: connections)))
    }
}
#endif
