/// Why bytes didn't arrive, as the loaders of this module and what drives them report it.
public enum DataLoadingError: Error, Sendable {
    /// No loader knows this kind of URL.
    case unsupportedURL(String)
    /// The server answered with a status that isn't success.
    case status(DataResponse)
    /// The server wants to know who asks (401), also after the request was authorised, where it could be.
    case unauthorized(DataResponse)
    /// The transfer ended early.
    case truncated(expected: Int, received: Int)
    /// There are more bytes than allowed.
    case tooLarge(maximumByteCount: Int)
    /// The server couldn't be reached, or what it said was lost or made no sense.
    case transport(DataTransportFailure)
    /// The file can't be read; the reason is for people.
    case unreadable(String)
    /// The data URL breaks the rules; the reason is for people.
    case invalidDataURL(String)
}

extension DataLoadingError {
    /// The server's response, where there was one.
    public var response: DataResponse? {
        switch self {
        case .status(let response), .unauthorized(let response): response
        default: nil
        }
    }
}

extension DataLoadingError: CustomStringConvertible {
    /// Whether a URL begins with a scheme (RFC 3986, section 3.1), and isn't merely a path.
    private static func hasScheme(_ url: String) -> Bool {
        let scheme = url.utf8.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "/") }
        return !scheme.isEmpty && scheme.count < url.utf8.count && url.utf8[scheme.endIndex] == UInt8(ascii: ":")
    }

    /// What happened, for people.
    public var description: String {
        switch self {
        case .unsupportedURL(let url):
            Self.hasScheme(url)
                ? "there is no loader for \(url)"
                : "there is no loader for \(url): it has no scheme. The URL of a file is URL(filePath:)"
        case .status(let response): "the server answered \(HTTPStatus.description(response.statusCode))"
        case .unauthorized: "the server answered \(HTTPStatus.description(401)): the request isn't authorised"
        case .truncated(let expected, let received): "the transfer ended after \(received) of \(expected) bytes"
        case .tooLarge(let limit): "there are more bytes than the limit of \(limit)"
        case .transport(let failure): failure.description
        case .unreadable(let reason), .invalidDataURL(let reason): reason
        }
    }
}

/// What went wrong between here and a server.
public struct DataTransportFailure: Error, Hashable, Sendable {
    /// The kinds of failure. More may come, so compare with the members you know.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// The reason's name.
        public let description: String

        /// No connection could be made: unknown name, nobody listens, no network.
        public static let cannotConnect = Reason(description: "can't connect")
        /// Making the connection, or the next bytes, took longer than allowed.
        public static let timedOut = Reason(description: "timed out")
        /// The connection ended before the response did.
        public static let connectionLost = Reason(description: "connection lost")
        /// No secure connection came about.
        public static let insecure = Reason(description: "no secure connection")
        /// There were too many redirections, or they went round in circles.
        public static let tooManyRedirects = Reason(description: "too many redirections")
        /// The proxy refused, or made no sense.
        public static let proxy = Reason(description: "proxy failure")
        /// What came isn't a response to the request.
        public static let invalidResponse = Reason(description: "invalid response")
        /// The request can't be sent as it is.
        public static let invalidRequest = Reason(description: "invalid request")
    }

    /// The kind of failure.
    public var reason: Reason
    /// What is wrong, in a sentence without a full stop.
    public var message: String

    /// A failure for `reason`.
    public init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// Whether it may well succeed another time.
    public var isTransient: Bool {
        switch reason {
        case .cannotConnect, .timedOut, .connectionLost: true
        default: false
        }
    }
}

extension DataTransportFailure: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}

/// What HTTP's status codes are called (RFC 9110, section 15), of those that downloads meet.
enum HTTPStatus {
    /// Such as `404 (not found)`.
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
