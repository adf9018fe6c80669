/// The reasons why bytes couldn't be loaded.
public enum DataLoadingError: Error, Sendable {
    /// No loader supports this kind of URL.
    case unsupportedURL(String)
    /// The server answered with an error status.
    case status(DataResponse)
    /// The server requires authentication (401), even after the request was authorised, if there is an `authorize`
    /// closure.
    case unauthorized(DataResponse)
    /// The transfer ended early.
    case truncated(expected: Int, received: Int)
    /// The response is longer than allowed.
    case tooLarge(maximumByteCount: Int)
    /// The server couldn't be reached, the connection broke, or the response is invalid.
    case transport(DataTransportFailure)
    /// The file can't be read; the text is the reason.
    case unreadable(String)
    /// The data URL is malformed; the text is the reason.
    case invalidDataURL(String)
}

extension DataLoadingError {
    /// The server's response for the errors that have one.
    public var response: DataResponse? {
        switch self {
        case .status(let response), .unauthorized(let response): response
        default: nil
        }
    }
}

extension DataLoadingError: CustomStringConvertible {
    /// Whether a URL begins with a scheme (RFC 3986, section 3.1) and isn't just a path.
    private static func hasScheme(_ url: String) -> Bool {
        let scheme = url.utf8.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "/") }
        return !scheme.isEmpty && scheme.count < url.utf8.count && url.utf8[scheme.endIndex] == UInt8(ascii: ":")
    }

    /// A description for people.
    public var description: String {
        switch self {
        case .unsupportedURL(let url):
            Self.hasScheme(url)
                ? "there is no loader for \(url)"
                : "there is no loader for \(url): it has no scheme. The URL of a file is URL(filePath:)"
        case .status(let response): "the server answered \(HTTPStatus.description(response.statusCode))"
        case .unauthorized: "the server answered \(HTTPStatus.description(401)): the request isn't authorised"
        case .truncated(let expected, let received): "the transfer ended after \(received) of \(expected) bytes"
        case .tooLarge(let limit): "there are more bytes than the limit of \(limit) (DataFetching.maximumByteCount)"
        case .transport(let failure): failure.description
        case .unreadable(let reason), .invalidDataURL(let reason): reason
        }
    }
}

/// A failure between this machine and a server.
public struct DataTransportFailure: Error, Hashable, Sendable {
    /// The kinds of failure. Future versions may add more, so compare with those you handle.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// The reason's name.
        public let description: String

        /// No connection could be made: unknown host, connection refused, or no network.
        public static let cannotConnect = Reason(description: "can't connect")
        /// The connection, or the next bytes, took longer than allowed.
        public static let timedOut = Reason(description: "timed out")
        /// The connection ended before the response did.
        public static let connectionLost = Reason(description: "connection lost")
        /// The TLS connection failed.
        public static let insecure = Reason(description: "no secure connection")
        /// There were too many redirections, possibly a loop.
        public static let tooManyRedirects = Reason(description: "too many redirections")
        /// The proxy refused the request or sent an invalid reply.
        public static let proxy = Reason(description: "proxy failure")
        /// The server's reply isn't a valid response to the request.
        public static let invalidResponse = Reason(description: "invalid response")
        /// The request can't be sent.
        public static let invalidRequest = Reason(description: "invalid request")
        /// This machine lacks what it takes to load anything, such as libcurl.
        public static let unavailable = Reason(description: "not available")
    }

    /// The kind of failure.
    public var reason: Reason
    /// The cause, in a sentence without a full stop.
    public var message: String

    /// A failure with its reason and message.
    public init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// Whether a retry may succeed.
    public var isTransient: Bool {
        switch reason {
        case .cannotConnect, .timedOut, .connectionLost: true
        default: false
        }
    }
}

extension DataTransportFailure: CustomStringConvertible {
    /// The failure's message.
    public var description: String { message }
}

/// The names of HTTP's status codes (RFC 9110, section 15) that occur in downloads.
enum HTTPStatus {
    /// The code with its name, such as `404 (not found)`.
    static func description(_ code: Int) -> String {
        guard let name = names[code] else { return "\(code)" }
        return "\(code) (\(name))"
    }

    private static let names: [Int: String] = [
        204: "no content", 301: "moved permanently", 302: "found", 304: "not modified", 400: "bad request",
        401: "unauthorized", 403: "forbidden", 404: "not found", 405: "method not allowed", 406: "not acceptable",
        407: "proxy authentication required", 408: "request timeout", 410: "gone", 412: "precondition failed",
        416: "range not satisfiable", 429: "too many requests", 451: "unavailable for legal reasons",
        500: "internal server error", 501: "not implemented", 502: "bad gateway", 503: "service unavailable",
        504: "gateway timeout",
    ]
}
