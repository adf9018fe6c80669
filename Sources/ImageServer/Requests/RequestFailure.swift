/// Why a request gets no picture: a status of HTTP, and a short text for people that names no file of the server's.
public struct RequestFailure: Error, Hashable, Sendable {
    /// The status, 4xx or 5xx.
    public var status: Int
    /// What is wrong, and where that helps what would be right.
    public var message: String
    /// After how many seconds to ask again; nil where that makes no difference.
    public var retryAfter: Int?

    /// A failure of this kind.
    public init(_ status: Int, _ message: String, retryAfter: Int? = nil) {
        self.status = status
        self.message = message
        self.retryAfter = retryAfter
    }
}
