internal import ImageFormats

/// The parts of an HTTP request that the service uses.
package struct ServiceRequest: Sendable {
    /// The methods that the service distinguishes.
    package enum Method: String, Sendable, CaseIterable {
        case get = "GET"
        case head = "HEAD"
        case options = "OPTIONS"
        case post = "POST"
        /// Any other method; refused with 405.
        case other
    }

    package var method: Method
    /// The path and query as sent.
    package var target: String
    /// `Accept`.
    package var accept: String?
    /// `If-None-Match`.
    package var ifNoneMatch: String?
    /// `If-Modified-Since`.
    package var ifModifiedSince: String?
    /// `Range`.
    package var range: String?
    /// `If-Range`.
    package var ifRange: String?
    /// The requested host, with or without a port; nil if the request has none.
    package var host: String?
    /// `Origin`: the site whose page sends the request.
    package var sender: String?
    /// The client's address; nil if requests aren't limited by it.
    package var client: String?
    /// `Cookie`.
    package var cookie: String?
    /// `Authorization`.
    package var authorization: String?
    /// The values of header fields, for the operator's authorization service.
    package var field: @Sendable (_ name: String) -> [String] = { _ in [] }
    /// Records the answers of the operator's authorization service; nil without one.
    package var admission: Admission?
    /// `Access-Control-Request-Private-Network`.
    package var asksForPrivateNetwork = false
    /// The scheme and authority by which the client addresses this server: `http://localhost:8080`.
    package var origin: String
    /// The path below which the client sees this server's addresses: `/images`, or empty.
    package var basePath = ""
    /// The prefix of the request's path if it is signed by prefix, `/signed/TOKEN`; else empty.
    package var pathPrefix = ""
    /// The images that the request may access.
    package var grant = Grant.everything

    /// The beginning of this server's addresses in responses to the client.
    var base: String { origin + basePath + pathPrefix }

    package init(_ method: Method = .get, _ target: String, origin: String = "http://localhost") {
        self.method = method
        self.target = target
        self.origin = origin
    }

    /// Whether the text consists of a host and a port. Responses repeat it in addresses.
    static func isAuthority(_ text: some StringProtocol) -> Bool {
        (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isLetterOrDigit || "-.:[]".utf8.contains($0) }
    }
}
