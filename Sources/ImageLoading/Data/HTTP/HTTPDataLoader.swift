internal import Essentials

#if HTTP
/// Loads over HTTP and HTTPS, versions 1.1 and 2, with libcurl, which is loaded when first needed.
///
/// Follows redirections. Requests no compression for the transfer, as image data is already compressed. All loaders of a process
/// share its connections, of which unused ones are closed after a minute.
public final class HTTPDataLoader: DataLoading {
    /// The loader with the default configuration.
    public static let shared = HTTPDataLoader()

    /// The timeouts, proxies and header fields of the requests.
    public let configuration: Configuration

    /// Creates a loader.
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
            let (response, body) = try await send(request)
            guard configuration.followsRedirects,
                let next = try HTTPRedirect.next(
                    request, status: response.statusCode, location: response.headers["Location"])
            else {
                try Self.checkEncoding(of: response, for: request)
                return DataDownload(response: response, body: DataChunks(makeNext: { { try await body.next() } }))
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

    /// Sends a request, and repeats it on a new connection if there is no sense in what a reused one answers: the server may have
    /// sent more than it announced for the previous request (RFC 9112, section 9.3.1: anything but a POST may be repeated).
    /// Where a reused connection turns out to be closed, libcurl sends the request again itself.
    private func send(_ request: DataRequest) async throws -> (DataResponse, HTTPBody) {
        var route = HTTPTransfer.Route(proxy: try proxy(to: request.url), address: configuration.address)
        let body = HTTPBody(HTTPTransfer(request, route, configuration))
        do {
            return (try await body.response(to: request), body)
        } catch  where body.mayRepeat && request.method != "POST" {
            try Task.checkCancellation()
            route.isFresh = true
            let body = HTTPBody(HTTPTransfer(request, route, configuration))
            return (try await body.response(to: request), body)
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

    /// Rejects content that the server compressed against the request's `Accept-Encoding: identity`: it isn't
    /// decompressed here and would look like a damaged image.
    private static func checkEncoding(of response: DataResponse, for request: DataRequest) throws {
        guard request.headers["Accept-Encoding"]?.lowercased() == "identity", (200..<300) ~= response.statusCode,
            let encoding = response.headers["Content-Encoding"]?.trimmedHTTPWhitespace.lowercased(), !encoding.isEmpty,
            encoding != "identity"
        else { return }
        // A compressed drawing (.svgz) is often sent with this encoding; the SVG decoder decompresses it.
        let mediaType = response.headers["Content-Type"]?.lowercased() ?? ""
        guard encoding != "gzip" || !mediaType.hasPrefix("image/svg+xml") else { return }
        throw DataLoadingError.transport(
            DataTransportFailure(
                .invalidResponse,
                "\(request.url.host() ?? "the server") sent Content-Encoding: \(encoding), which the request didn't accept"
            ))
    }
}

/// A response's bytes as they arrive. Releasing it before the end closes the connection.
private final class HTTPBody: Sendable {
    private let transfer: HTTPTransfer

    init(_ transfer: HTTPTransfer) { self.transfer = transfer }

    deinit { transfer.stop() }

    var mayRepeat: Bool { transfer.mayRepeat }

    func response(to request: DataRequest) async throws -> DataResponse {
        let (statusCode, headers) = try await transfer.response()
        let byteCount = headers["Content-Length"].flatMap { Int($0.trimmedHTTPWhitespace) }
        return DataResponse(
            url: request.url, statusCode: statusCode, headers: headers,
            expectedByteCount: byteCount.flatMap { $0 >= 0 ? $0 : nil })
    }

    func next() async throws -> Data? { try await transfer.next() }
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
        /// The IP address to connect to, whatever the host; nil to look up the host.
        package var address: String?
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
