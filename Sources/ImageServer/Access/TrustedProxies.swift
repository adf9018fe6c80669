internal import Platform
internal import Raster

/// The address that a proxy's client asked for, as far as the proxy has added it to the request.
struct Forwarding: Hashable, Sendable {
    /// `http` or `https`.
    var scheme: String?
    /// The host, with or without a port.
    var authority: String?
    /// The path that the proxy has removed.
    var basePath: BasePath?

    /// Nothing.
    static let none = Forwarding()
}

/// The proxies whose `X-Forwarded-…` fields are believed.
struct TrustedProxies: Sendable {
    /// The client's name on a connection through a Unix socket.
    static let unixSocket = "unix"

    private let networks: [NetworkAddress.Network]
    /// Whether everybody who may connect to the Unix socket is trusted.
    private let includesUnixSocket: Bool

    /// - Throws: `invalidParameter` for text that is neither an address nor a network nor `unix`.
    init(_ texts: [String]) throws(ImageError) {
        var networks: [NetworkAddress.Network] = []
        for text in texts where text != Self.unixSocket {
            guard let network = NetworkAddress.Network(parsing: text) else {
                throw ImageError(
                    .invalidParameter,
                    "invalid proxy \(text.quotedForPeople): write an address, a network, as in 10.0.0.0/8, or unix")
            }
            networks.append(network)
        }
        self.networks = networks
        includesUnixSocket = texts.contains(Self.unixSocket)
    }

    /// Returns the address of the client that a request came from.
    /// - Parameters:
    ///   - peer: The connection's address.
    ///   - forwarded: The values of `X-Forwarded-For`, in their order; each proxy adds its peer at the end.
    func client(_ peer: String, forwarded: [String]) -> String {
        guard contains(peer) else { return peer }
        let addresses = forwarded.joined(separator: ",").split(separator: ",").map { String($0.filter { $0 != " " }) }
        var client = peer
        // From the end: the client itself may have sent the beginning.
        for address in addresses.reversed() {
            guard NetworkAddress(address) != nil else { return client }
            client = address
            if !contains(address) { break }
        }
        return client
    }

    /// Returns the fields that a trusted proxy has added; nothing for other peers.
    /// - Parameter field: Returns the values of a request's header field. The last one is the nearest proxy's.
    func forwarding(_ peer: String, _ field: (_ name: String) -> [String]) -> Forwarding {
        guard contains(peer) else { return .none }
        func last(_ name: String) -> Substring? {
            field(name).last?.split(separator: ",").last.map { $0.drop { $0 == " " } }
        }
        var forwarding = Forwarding()
        if let scheme = last("X-Forwarded-Proto")?.lowercased(), ["http", "https"].contains(scheme) {
            forwarding.scheme = scheme
        }
        if let authority = last("X-Forwarded-Host"), ServiceRequest.isAuthority(authority) {
            forwarding.authority = String(authority)
        }
        forwarding.basePath = last("X-Forwarded-Prefix").flatMap { BasePath(forwarded: $0) }
        return forwarding
    }

    private func contains(_ peer: String) -> Bool {
        if peer == Self.unixSocket { return includesUnixSocket }
        guard !networks.isEmpty, let address = NetworkAddress(peer) else { return false }
        return networks.contains { $0.contains(address) }
    }
}
