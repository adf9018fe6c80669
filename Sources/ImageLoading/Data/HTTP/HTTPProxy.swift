/// A server that requests are sent through.
public struct HTTPProxy: Hashable, Sendable {
    /// How it is spoken to.
    public enum Kind: Hashable, Sendable {
        /// By HTTP's `CONNECT`, for plain and for secure requests.
        case http
        /// By SOCKS, version 5.
        case socks5
    }

    /// How it is spoken to.
    public var kind: Kind
    /// Its name or address.
    public var host: String
    /// Its port.
    public var port: Int
    /// What it is told of who asks, as `name:password`; nil for nothing.
    public var credentials: String?

    /// A proxy of these facts.
    public init(kind: Kind = .http, host: String, port: Int, credentials: String? = nil) {
        self.kind = kind
        self.host = host
        self.port = port
        self.credentials = credentials
    }
}
