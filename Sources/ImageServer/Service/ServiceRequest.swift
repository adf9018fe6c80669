/// A request as far as the service looks at it.
package struct ServiceRequest: Sendable {
    /// What is asked for.
    package enum Method: String, Sendable, CaseIterable {
        case get = "GET"
        case head = "HEAD"
        case options = "OPTIONS"
        /// Any that is answered nowhere.
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
    /// The host that is asked for, with or without a port; nil where none is named.
    package var host: String?
    /// `Origin`: the site whose page sends the request.
    package var sender: String?
    /// `Cookie`.
    package var cookie: String?
    /// `Access-Control-Request-Private-Network`.
    package var asksForPrivateNetwork = false
    /// Scheme and authority by which the client knows this server: `http://localhost:8080`.
    package var origin: String
    /// What stands before the paths of addresses that are signed by prefix: `/signed/TOKEN`.
    package var pathPrefix = ""
    /// The images that it may be answered about.
    package var grant = Grant.everything

    /// What addresses of this server begin with, as the client knows them.
    var base: String { origin + pathPrefix }

    package init(_ method: Method = .get, _ target: String, origin: String = "http://localhost") {
        self.method = method
        self.target = target
        self.origin = origin
    }
}
