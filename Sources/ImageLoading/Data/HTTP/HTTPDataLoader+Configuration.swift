#if HTTP
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
