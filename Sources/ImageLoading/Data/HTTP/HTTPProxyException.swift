/// Hosts that are reached without a proxy.
struct HTTPProxyException: Hashable, Sendable {
    private enum Hosts: Hashable {
        case all
        /// A name or an address, and what is below it.
        case name(String)
        case network(UInt32, bits: Int)
    }

    private var hosts: Hosts
    private var port: Int?

    /// Reads an entry of `no_proxy`.
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

    /// Whether this is one of them; `host` is normalised.
    func matches(_ host: String, _ port: Int) -> Bool {
        guard self.port == nil || self.port == port else { return false }
        switch hosts {
        case .all: return true
        case .name(let name): return !name.isEmpty && (host == name || host.hasSuffix("." + name))
        case .network(let network, let bits): return Self.ipv4(host).map { $0 & Self.mask(bits) == network } ?? false
        }
    }

    /// In lower case and without the dot that ends a full name.
    static func normalized(_ host: String) -> String {
        let host = host.lowercased()
        return host.hasSuffix(".") ? String(host.dropLast()) : host
    }

    /// Whether this is the machine itself; `host` is normalised.
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
