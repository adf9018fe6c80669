internal import Essentials

#if HTTP
internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// Loads over HTTP and HTTPS, versions 1.1 and 2, with async-http-client.
///
/// Follows redirections. Requests no compression for the transfer, as image data is already compressed.
public final class HTTPDataLoader: DataLoading {
    /// The loader shared by the process.
    public static let shared = HTTPDataLoader()

    /// The timeouts, proxies and header fields of the requests.
    public let configuration: Configuration

    /// The connections of each route.
    private let clients = Mutex<[HTTPRoute: HTTPConnections]>([:])

    /// Creates a loader with separate connections, which are closed when it is released.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// Loads the bytes at `request.url`, following redirections.
    /// - Throws: `DataLoadingError.transport` or `unsupportedURL`; `CancellationError`. An error status doesn't throw.
    public func load(_ request: DataRequest) async throws -> DataDownload {
        var request = request
        for field in configuration.headers.fields where request.headers[field.name] == nil {
            request.headers.add(field.name, field.value)
        }
        if request.headers["Accept-Encoding"] == nil { request.headers.add("Accept-Encoding", "identity") }
        var redirectCount = 0
        while true {
            let (response, connections) = try await send(request)
            guard configuration.followsRedirects,
                let next = try HTTPRedirect.next(
                    request, status: Int(response.status.code), location: response.headers.first(name: "Location"))
            else {
                try Self.checkEncoding(of: response, for: request)
                return Self.download(request.url, response, connections)
            }
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

    /// Sends a request, and repeats it on a new connection if a reused one fails before the response begins. The server
    /// may have closed the old one, or sent more than it announced for the previous request (RFC 9112, section 9.3.1:
    /// anything but a POST may be repeated).
    private func send(_ request: DataRequest) async throws -> (HTTPClientResponse, HTTPConnections) {
        let route = HTTPRoute(proxy: try proxy(to: request.url), writesTarget: HTTPTarget.isLost(of: request.url))
        let connections = connections(on: route)
        do {
            do {
                return (try await connections.execute(request), connections)
            } catch let error
                where request.method != "POST" && connections.mayBeOld && HTTPFailure.mayBeOfOldConnection(error)
            {
                try Task.checkCancellation()
                let new = HTTPConnections(configuration, route)
                return (try await new.execute(request), new)
            }
        } catch {
            throw HTTPFailure.error(for: error, host: request.url.host() ?? "the server", isConnected: false)
        }
    }

    private func proxy(to url: URL) throws -> HTTPProxy? {
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https", let host = url.host(),
            !host.isEmpty
        else { throw DataLoadingError.unsupportedURL(url.absoluteString) }
        switch configuration.proxies.route(scheme: scheme, host: host, port: url.port) {
        case .direct: return nil
        case .proxy(let proxy): return proxy
        case .unusable(let text):
            throw DataLoadingError.transport(DataTransportFailure(.proxy, "the proxy \(text) can't be used"))
        }
    }

    private func connections(on route: HTTPRoute) -> HTTPConnections {
        clients.withLock { clients in
            if let found = clients[route] { return found }
            let made = HTTPConnections(configuration, route)
            clients[route] = made
            return made
        }
    }

    /// Rejects content that the server compressed against the request's `Accept-Encoding: identity`: it isn't
    /// decompressed here and would look like a damaged image.
    private static func checkEncoding(of response: HTTPClientResponse, for request: DataRequest) throws {
        guard request.headers["Accept-Encoding"]?.lowercased() == "identity", (200..<300) ~= response.status.code,
            let encoding = response.headers.first(name: "Content-Encoding")?.trimmedHTTPWhitespace.lowercased(),
            !encoding.isEmpty, encoding != "identity"
        else { return }
        // A compressed drawing (.svgz) is often sent with this encoding; the SVG decoder decompresses it.
        let mediaType = response.headers.first(name: "Content-Type")?.lowercased() ?? ""
        guard encoding != "gzip" || !mediaType.hasPrefix("image/svg+xml") else { return }
        throw DataLoadingError.transport(
            DataTransportFailure(
                .invalidResponse,
                "\(request.url.host() ?? "the server") sent Content-Encoding: \(encoding), which the request didn't accept"
            ))
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
            body: chunks(of: response.body, from: url.host() ?? "", connections))
    }

    /// A response's bytes as they arrive. Releasing the iterator before the end closes the connection.
    private static func chunks(
        of body: HTTPClientResponse.Body, from host: String, _ connections: HTTPConnections
    ) -> DataChunks {
        DataChunks {
            // One task at a time uses the iterator.
            nonisolated(unsafe) var pieces = body.makeAsyncIterator()
            return {
                // Keeps the connections open while the body is read.
                defer { withExtendedLifetime(connections) {} }
                do {
                    // Copies the bytes out of the connection's read buffer, which is much larger than its content.
                    return try await pieces.next().map { Data($0.readableBytesView) }
                } catch {
                    throw HTTPFailure.error(for: error, host: host, isConnected: true)
                }
            }
        }
    }
}

extension HTTPDataLoader {
    /// Timeouts, proxies and header fields for requests.
    public struct Configuration: Sendable {
        /// The timeout for making a connection.
        public var connectTimeout: Duration
        /// The time that a server may send nothing, before or within the response.
        public var idleTimeout: Duration
        /// The maximum number of redirections of one request.
        public var maximumRedirectCount: Int
        /// Whether to follow redirections; otherwise they are returned as responses.
        package var followsRedirects = true
        /// Addresses for host names that must not be looked up.
        package var hostAddresses: [String: String] = [:]
        /// The proxies to use.
        public var proxies: HTTPProxySettings
        /// Fields that are added to requests that don't have them.
        public var headers: HTTPHeaders

        /// By default 15 s to connect, 60 s idle, 10 redirections, the environment's proxies, and `User-Agent`.
        public init(
            connectTimeout: Duration = .seconds(15), idleTimeout: Duration = .seconds(60),
            maximumRedirectCount: Int = 10,
            proxies: HTTPProxySettings = .environment, headers: HTTPHeaders = ["User-Agent": "Tessera"]
        ) {
            self.connectTimeout = connectTimeout
            self.idleTimeout = idleTimeout
            self.maximumRedirectCount = maximumRedirectCount
            self.proxies = proxies
            self.headers = headers
        }
    }
}
#endif

/// Follows the redirection in a response (RFC 9110, section 15.4).
package enum HTTPRedirect {
    /// The next request; nil if the response is the final one.
    /// - Throws: `DataLoadingError.transport` if the location isn't an HTTP URL: a server must not redirect to files.
    package static func next(_ request: DataRequest, status: Int, location: String?) throws(DataLoadingError)
        -> DataRequest?
    {
        guard [301, 302, 303, 307, 308].contains(status), let location = location?.trimmedHTTPWhitespace else {
            return nil
        }
        guard let url = URL(string: location, relativeTo: request.url)?.absoluteURL, let scheme = scheme(url),
            scheme == "http" || scheme == "https", url.host() ?? "" != ""
        else {
            throw .transport(
                DataTransportFailure(.invalidResponse, "the server redirects to \(location), which isn't HTTP"))
        }
        var next = request
        next.url = url
        if scheme != Self.scheme(request.url) || url.host()?.lowercased() != request.url.host()?.lowercased()
            || url.port != request.url.port
        {
            // Credentials for one server must not be sent to another.
            for name in ["Authorization", "Cookie", "Proxy-Authorization", "Origin"] { next.headers[name] = nil }
        }
        return next
    }

    private static func scheme(_ url: URL) -> String? { url.scheme?.lowercased() }
}
