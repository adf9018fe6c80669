/// Which proxy a request is sent through, as the environment's variables say it.
///
/// `http_proxy`, `https_proxy` and `all_proxy` name proxies as `[http://|socks5://][name:password@]host[:port]`, in lower
/// case first, then in upper case. `no_proxy` has hosts that are reached directly, with all that is below them, between
/// commas: names, addresses, IPv4 networks (`10.0.0.0/8`), each with a port if need be, or `*` for everything. So are
/// this machine's own (`localhost`, `127.0.0.0/8`, `::1`).
public struct HTTPProxySettings: Hashable, Sendable {
    /// How a request gets to its server.
    public enum Route: Hashable, Sendable {
        /// Without a proxy.
        case direct
        /// Through a proxy.
        case proxy(HTTPProxy)
        /// Not at all: what is set makes no sense, or is of a kind that can't be used. The text is what is set.
        case unusable(String)
    }

    private var http: Route
    private var https: Route
    private var exceptions: [HTTPProxyException]

    /// No proxy.
    public static let none = HTTPProxySettings(environment: [:])

    /// This proxy for everything but this machine's own addresses.
    public init(_ proxy: HTTPProxy) {
        http = .proxy(proxy)
        https = .proxy(proxy)
        exceptions = []
    }

    /// What these variables say.
    public init(environment: [String: String]) {
        func value(_ name: String) -> String? {
            if let value = environment[name] { return value }
            // A web server's children get a client's header called `Proxy` by this name.
            if name == "http_proxy", environment["REQUEST_METHOD"] != nil { return nil }
            return environment[name.uppercased()]
        }
        let all = value("all_proxy")
        http = Self.route(value("http_proxy") ?? all)
        https = Self.route(value("https_proxy") ?? all)
        exceptions = (value("no_proxy") ?? "").split { $0 == "," || $0 == " " }.map { HTTPProxyException(String($0)) }
    }

    /// How a request is sent to `host`, which is without brackets.
    public func route(scheme: String, host: String, port: Int?) -> Route {
        let host = HTTPProxyException.normalized(host)
        let port = port ?? (scheme == "https" ? 443 : 80)
        guard !HTTPProxyException.isOwn(host), !exceptions.contains(where: { $0.matches(host, port) }) else {
            return .direct
        }
        return scheme == "https" ? https : http
    }

    private static func route(_ text: String?) -> Route {
        guard let text = text?.trimmedHTTPWhitespace, !text.isEmpty else { return .direct }
        var rest = text[...]
        var kind = HTTPProxy.Kind.http
        if let separator = rest.firstRange(of: "://") {
            switch rest[..<separator.lowerBound].lowercased() {
            case "http": break
            case "socks5", "socks5h", "socks": kind = .socks5
            default: return .unusable(withoutCredentials(text))
            }
            rest = rest[separator.upperBound...]
        }
        rest = rest.prefix { $0 != "/" }
        var credentials: String?
        if let at = rest.lastIndex(of: "@") {
            credentials = PercentEncoding.decoded(String(rest[..<at]))
            rest = rest[rest.index(after: at)...]
            guard credentials != nil else { return .unusable(withoutCredentials(text)) }
        }
        guard let (host, port) = HTTPAuthority.parse(rest), !host.isEmpty else {
            return .unusable(withoutCredentials(text))
        }
        let standardPort = kind == .http ? 80 : 1080
        // What would be sent in the clear to a proxy that can't take it is better not sent.
        if kind == .socks5, credentials != nil { return .unusable(withoutCredentials(text)) }
        return .proxy(HTTPProxy(kind: kind, host: host, port: port ?? standardPort, credentials: credentials))
    }

    /// For messages: passwords don't belong there.
    private static func withoutCredentials(_ text: String) -> String {
        guard let at = text.lastIndex(of: "@") else { return text }
        let scheme = text.firstRange(of: "://").map { text[..<$0.upperBound] } ?? ""
        return scheme + "…" + text[at...]
    }
}
