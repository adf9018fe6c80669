internal import Essentials
internal import ImageFormats

/// Selects the proxy for a request, from the usual environment variables.
///
/// `http_proxy`, `https_proxy` and `all_proxy` hold proxies as `[http://|socks5://][name:password@]host[:port]`; the
/// lower-case name takes precedence over the upper-case one. `no_proxy` lists hosts to reach directly, with their
/// subdomains, separated by commas: names, addresses or IPv4 networks (`10.0.0.0/8`), names and addresses optionally
/// with a port, or `*` for all. Loopback addresses (`localhost`, `127.0.0.0/8`, `::1`) are always reached directly.
public struct HTTPProxySettings: Hashable, Sendable {
    /// The route of a request to its server.
    public enum Route: Hashable, Sendable {
        /// Direct, without a proxy.
        case direct
        /// Through a proxy.
        case proxy(HTTPProxy)
        /// No route: the setting is invalid or unsupported. The text is the setting, without credentials.
        case unusable(String)
    }

    private var http: Route
    private var https: Route
    private var exceptions: [HTTPProxyException]

    /// No proxies.
    public static let none = HTTPProxySettings(environment: [:])

    /// Uses `proxy` for all hosts but loopback addresses.
    public init(_ proxy: HTTPProxy) {
        http = .proxy(proxy)
        https = .proxy(proxy)
        exceptions = []
    }

    /// Reads the settings from environment variables.
    public init(environment: [String: String]) {
        func value(_ name: String) -> String? {
            if let value = environment[name] { return value }
            // In a CGI process, this variable holds the client's `Proxy` header.
            if name == "http_proxy", environment["REQUEST_METHOD"] != nil { return nil }
            return environment[name.uppercased()]
        }
        let all = value("all_proxy")
        http = Self.route(value("http_proxy") ?? all)
        https = Self.route(value("https_proxy") ?? all)
        exceptions = (value("no_proxy") ?? "").split { $0 == "," || $0 == " " }.map { HTTPProxyException(String($0)) }
    }

    /// The route to `host`, given without brackets.
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
        // SOCKS authentication isn't supported; rejects it instead of sending requests without it.
        if kind == .socks5, credentials != nil { return .unusable(withoutCredentials(text)) }
        return .proxy(HTTPProxy(kind: kind, host: host, port: port ?? standardPort, credentials: credentials))
    }

    /// The setting for error messages, without the password.
    private static func withoutCredentials(_ text: String) -> String {
        guard let at = text.lastIndex(of: "@") else { return text }
        let scheme = text.firstRange(of: "://").map { text[..<$0.upperBound] } ?? ""
        return scheme + "…" + text[at...]
    }
}

extension HTTPProxySettings {
    /// The settings in this process's environment.
    public static var environment: HTTPProxySettings {
        HTTPProxySettings(environment: ProcessInfo.processInfo.environment)
    }
}

/// A proxy server.
public struct HTTPProxy: Hashable, Sendable {
    /// The protocol of a proxy.
    public enum Kind: Hashable, Sendable {
        /// HTTP with `CONNECT`, for plain and secure requests.
        case http
        /// SOCKS version 5.
        case socks5
    }

    /// The proxy's protocol.
    public var kind: Kind
    /// The proxy's name or address.
    public var host: String
    /// The proxy's port.
    public var port: Int
    /// Credentials as `name:password`; nil for none. Used with HTTP only.
    public var credentials: String?

    /// The proxy as libcurl takes it, without its credentials.
    var url: String {
        // A proxy by SOCKS looks up the host itself.
        (kind == .http ? "http://" : "socks5h://") + (host.contains(":") ? "[\(host)]" : host) + ":\(port)"
    }

    /// A proxy with its address and credentials.
    public init(kind: Kind = .http, host: String, port: Int, credentials: String? = nil) {
        self.kind = kind
        self.host = host
        self.port = port
        self.credentials = credentials
    }
}

/// An entry of `no_proxy`.
struct HTTPProxyException: Hashable, Sendable {
    private enum Hosts: Hashable {
        case all
        /// A name or an address, including subdomains.
        case name(String)
        case network(UInt32, bits: Int)
    }

    private var hosts: Hosts
    private var port: Int?

    init(_ text: String) {
        let text = text.trimmedHTTPWhitespace
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 2, let address = Self.ipv4(String(parts[0])), let bits = Int(parts[1]),
            (0...32).contains(bits)
        {
            hosts = .network(address & Self.mask(bits), bits: bits)
            return
        }
        let (host, port) = HTTPAuthority.parse(text) ?? (text, nil)
        self.port = port
        var name = host[...]
        if name.hasPrefix("*.") { name = name.dropFirst() }
        while name.hasPrefix(".") { name = name.dropFirst() }
        hosts = host == "*" ? .all : .name(Self.normalized(String(name)))
    }

    /// Whether the entry matches; `host` must be normalised.
    func matches(_ host: String, _ port: Int) -> Bool {
        guard self.port == nil || self.port == port else { return false }
        switch hosts {
        case .all: return true
        case .name(let name): return !name.isEmpty && (host == name || host.hasSuffix("." + name))
        case .network(let network, let bits): return Self.ipv4(host).map { $0 & Self.mask(bits) == network } ?? false
        }
    }

    /// The host in lower case, without a trailing dot.
    static func normalized(_ host: String) -> String {
        let host = host.lowercased()
        return host.hasSuffix(".") ? String(host.dropLast()) : host
    }

    /// Whether the host is a loopback address; `host` must be normalised.
    static func isOwn(_ host: String) -> Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "::1"
            || ipv4(host).map { $0 >> 24 == 127 } ?? false
    }

    private static func mask(_ bits: Int) -> UInt32 { bits == 0 ? 0 : UInt32.max << UInt32(32 - bits) }

    private static func ipv4(_ text: String) -> UInt32? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var address: UInt32 = 0
        for part in parts {
            guard part.utf8.allSatisfy({ (48...57).contains($0) }), let byte = UInt8(part) else { return nil }
            address = address << 8 | UInt32(byte)
        }
        return address
    }
}

/// A host with an optional port.
enum HTTPAuthority {
    /// Parses `host`, `host:port`, `[IPv6]`, `[IPv6]:port`, or a bare IPv6 address. The host is returned without
    /// brackets. Nil for invalid text.
    static func parse(_ text: some StringProtocol) -> (host: String, port: Int?)? {
        let text = String(text)
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let host = String(text[text.index(after: text.startIndex)..<end])
            let rest = text[text.index(after: end)...]
            if rest.isEmpty { return (host, nil) }
            guard rest.hasPrefix(":"), let port = port(rest.dropFirst()) else { return nil }
            return (host, port)
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        switch parts.count {
        case 2:
            if parts[1].isEmpty { return (String(parts[0]), nil) }
            guard let port = port(parts[1]) else { return nil }
            return (String(parts[0]), port)
        default: return (text, nil)
        }
    }

    private static func port(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy({ (48...57).contains($0) }), let port = Int(text), (1...65535).contains(port) else {
            return nil
        }
        return port
    }
}
