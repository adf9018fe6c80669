/// A request as far as the service looks at it.
package struct ServiceRequest: Sendable {
    /// What is asked for.
    package enum Method: Sendable {
        case get
        case head
        case options
        case other
    }

    package var method: Method
    /// The path and the query as they were sent.
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
    /// Scheme and authority by which the client knows this server: `http://localhost:8080`.
    package var origin: String

    package init(_ method: Method = .get, _ target: String, origin: String = "http://localhost") {
        self.method = method
        self.target = target
        self.origin = origin
    }
}
