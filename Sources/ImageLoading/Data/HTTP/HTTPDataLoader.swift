internal import Essentials

#if HTTP
internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

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

    /// Sends a request; once more, on a new connection, where an old one turns out to be of no use before the response
    /// begins. A server may have closed it, or sent more than it announced for the request before (RFC 9112, section 9.3.1:
    /// a GET may be sent again).
    private func send(_ request: DataRequest) async throws -> (HTTPClientResponse, HTTPConnections) {
        let proxy = try proxy(to: request.url)
        let connections = connections(through: proxy)
        do {
            do {
                return (try await connections.execute(request), connections)
            } catch let error where connections.mayBeOld && HTTPFailure.mayBeOfOldConnection(error) {
                try Task.checkCancellation()
                let new = HTTPConnections(configuration, proxy)
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

    private func connections(through proxy: HTTPProxy?) -> HTTPConnections {
        clients.withLock { clients in
            if let found = clients[proxy] { return found }
            let made = HTTPConnections(configuration, proxy)
            clients[proxy] = made
            return made
        }
    }

    /// Refuses bytes that were compressed on the way though the request asked for them as they are: nothing here unpacks
    /// them, and they would be taken for a broken image.
    private static func checkEncoding(of response: HTTPClientResponse, for request: DataRequest) throws {
        guard request.headers["Accept-Encoding"]?.lowercased() == "identity", (200..<300) ~= response.status.code,
            let encoding = response.headers.first(name: "Content-Encoding")?.trimmedHTTPWhitespace.lowercased(),
            !encoding.isEmpty, encoding != "identity"
        else { return }
        // A drawing may be compressed in itself, and is often sent like this.
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

    /// A response's bytes as they arrive. Letting go of the reader before its end closes the connection.
    private static func chunks(
        of body: HTTPClientResponse.Body, from host: String, _ connections: HTTPConnections
    ) -> DataChunks {
        DataChunks {
            // Used by one task at a time.
            nonisolated(unsafe) var pieces = body.makeAsyncIterator()
            return {
                // Connections are closed when nobody has them.
                defer { withExtendedLifetime(connections) {} }
                do {
                    // One copy, out of the buffer that the connection reads into, which is much larger than what it has got.
                    return try await pieces.next().map { Data($0.readableBytesView) }
                } catch {
                    throw HTTPFailure.error(for: error, host: host, isConnected: true)
                }
            }
        }
    }
}

extension HTTPDataLoader {
    /// How requests are sent.
    public struct Configuration: Sendable {
        /// How long making a connection may take.
        public var connectTimeout: Duration
        /// How long a server may send nothing, before the response as well as within it.
        public var idleTimeout: Duration
        /// Redirections of one request, at most.
        public var maximumRedirectCount: Int
        /// Whether redirections are followed; otherwise they are responses like others.
        package var followsRedirects = true
        /// The addresses at which hosts are reached that aren't to be looked up.
        package var hostAddresses: [String: String] = [:]
        /// Which proxies are used.
        public var proxies: HTTPProxySettings
        /// Fields that are sent where a request has none of their name.
        public var headers: HTTPHeaders

        /// 15 seconds for connecting, 60 for silence, 10 redirections, the environment's proxies, and `User-Agent`.
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

/// Where a response sends the request on to (RFC 9110, section 15.4).
package enum HTTPRedirect {
    /// The request that follows; nil where the response is the final one.
    /// - Throws: `DataTransportFailure` where it leads away from HTTP: a server must not open files.
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
            // What tells one server who asks is none of another's business.
            for name in ["Authorization", "Cookie", "Proxy-Authorization", "Origin"] { next.headers[name] = nil }
        }
        return next
    }

    private static func scheme(_ url: URL) -> String? { url.scheme?.lowercased() }
}
