#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What is known of bytes before they arrive: what a server says of them.
public struct DataResponse: Hashable, Sendable {
    /// Where the bytes come from, redirections followed.
    public var url: URL?
    /// HTTP's status; 200 for what doesn't come over HTTP.
    public var statusCode: Int
    /// The header fields.
    public var headers: HTTPHeaders
    /// How many bytes will come, where that is known.
    public var expectedByteCount: Int?

    /// A response of these facts.
    public init(
        url: URL?, statusCode: Int = 200, headers: HTTPHeaders = HTTPHeaders(), expectedByteCount: Int? = nil
    ) {
        self.url = url
        self.statusCode = statusCode
        self.headers = headers
        self.expectedByteCount = expectedByteCount
    }

    /// The media type, without parameters; nil where none is said.
    public var mimeType: String? {
        headers["Content-Type"].map { String($0.prefix { $0 != ";" && $0 != " " }) }
    }
}
