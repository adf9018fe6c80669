internal import ImageFormats
package import Raster

/// Restricts the host names by which clients address the server, and the sites whose pages may read its responses.
///
/// A web page elsewhere can make a browser send requests to a server on this machine, by the server's name or by a host
/// name that the page's owner points at this machine (DNS rebinding). A server on loopback therefore answers only to
/// known names, and only its own pages may read its responses. A public server is open to every viewer, as the IIIF
/// Image API recommends.
package struct ClientPolicy: Sendable {
    /// In lower case, without ports and brackets; nil to accept any.
    private let hosts: Set<String>?
    /// The sites whose pages may read responses besides the server's own; nil for all.
    private let origins: Set<String>?

    /// The header fields that other sites' pages may send. The asterisk doesn't include `Authorization` (Fetch, 3.3.4).
    private let allowedFields: String

    private static let localHosts: Set<String> = ["localhost", "127.0.0.1", "::1"]

    /// - Throws: `invalidParameter` for an allowed host or origin that is malformed.
    package init(_ configuration: ImageServerConfiguration) throws(ImageError) {
        allowedFields = configuration.authorization == nil ? "*" : "*, Authorization"
        let isLocal = Self.isLocal(configuration.host)
        var hosts: Set<String> = []
        for host in configuration.allowedHosts { hosts.insert(try Self.host(host)) }
        let isChecked = isLocal || !hosts.isEmpty
        if let address = configuration.publicAddress, let start = address.firstRange(of: "://") {
            hosts.insert(Self.name(of: address[start.upperBound...].prefix { $0 != "/" }))
        }
        hosts.formUnion(Self.localHosts)
        hosts.insert(Self.name(of: configuration.host))
        self.hosts = isChecked && !hosts.contains("*") ? hosts : nil
        var origins: Set<String> = []
        for origin in configuration.allowedOrigins { origins.insert(try Self.origin(origin)) }
        let isOpen = origins.isEmpty ? !isLocal || configuration.publicAddress != nil : origins.contains("*")
        self.origins = isOpen ? nil : origins
    }

    /// Whether a listening address is a loopback address.
    private static func isLocal(_ host: String) -> Bool {
        let name = name(of: host[...])
        guard let address = NetworkAddress(name) else { return localHosts.contains(name) }
        return address.isVersion6 ? address.description == "::1" : address.bytes[0] == 127
    }

    // MARK: Requests

    /// - Parameter host: The request's host, with or without a port; nil if the request has none.
    /// - Throws: 421 for a host name that isn't accepted.
    package func check(host: String?) throws(RequestFailure) {
        guard let hosts, let host, !hosts.contains(Self.name(of: host[...])) else { return }
        throw RequestFailure(
            421,
            "this server isn't known as \(host.quotedForPeople): its operator can allow the name with --allow-host")
    }

    /// The response to an OPTIONS request, which browsers send ahead of some cross-origin requests.
    /// - Throws: 403 for a site that isn't allowed.
    package func preflight(_ request: ServiceRequest) throws(RequestFailure) -> ServiceResponse {
        let methods = Route.methods(at: request.target).map(\.rawValue).joined(separator: ", ")
        var response = ServiceResponse(204, [("Allow", methods)])
        guard let sender = request.sender else { return response }
        guard isAllowed(sender, request) else {
            throw RequestFailure(
                403,
                "pages of \(sender.quotedForPeople) may not read this server: its operator can allow them with --allow-origin"
            )
        }
        response.fields += [
            ("Access-Control-Allow-Methods", methods), ("Access-Control-Allow-Headers", allowedFields),
            ("Access-Control-Max-Age", "86400"),
        ]
        // Private Network Access: a page of a public site requests a server in a private network.
        if request.asksForPrivateNetwork { response.fields.append(("Access-Control-Allow-Private-Network", "true")) }
        return response
    }

    /// Adds the header fields that control which sites may read `response`.
    package func describe(_ response: inout ServiceResponse, to request: ServiceRequest) {
        guard let origins else { return response.fields.append(("Access-Control-Allow-Origin", "*")) }
        guard !origins.isEmpty else {
            // Other sites may not embed it either, which would reveal whether the image exists, and its size.
            return response.fields.append(("Cross-Origin-Resource-Policy", "same-site"))
        }
        response.addVary("Origin")
        if let sender = request.sender, origins.contains(sender.lowercased()) {
            response.fields.append(("Access-Control-Allow-Origin", sender))
        }
    }

    private func isAllowed(_ sender: String, _ request: ServiceRequest) -> Bool {
        guard let origins else { return true }
        return origins.contains(sender.lowercased()) || sender == request.origin
    }

    // MARK: Names

    /// The host without its port, in lower case, without the brackets of an IPv6 address and without a trailing dot.
    private static func name(of host: some StringProtocol) -> String {
        var name = host.lowercased()[...]
        if name.hasPrefix("["), let end = name.firstIndex(of: "]") {
            return String(name[name.index(after: name.startIndex)..<end])
        }
        if let colon = name.firstIndex(of: ":"), name.lastIndex(of: ":") == colon { name = name[..<colon] }
        if name.hasSuffix(".") { name = name.dropLast() }
        return String(name)
    }

    private static func host(_ text: String) throws(ImageError) -> String {
        let name = name(of: text[...])
        let isName = name.utf8.allSatisfy { $0.isLetterOrDigit || "-._:".utf8.contains($0) }
        guard !name.isEmpty, isName || name == "*", !text.utf8.contains(UInt8(ascii: "/")) else {
            throw ImageError(
                .invalidParameter, "invalid host \(text.quotedForPeople): write a name, as in pictures.example.org")
        }
        return name
    }

    private static func origin(_ text: String) throws(ImageError) -> String {
        let origin = text.lowercased()
        if origin == "*" || origin == "null" { return origin }
        for scheme in ["http://", "https://"] where origin.hasPrefix(scheme) {
            let rest = origin.dropFirst(scheme.utf8.count)
            if !rest.isEmpty, rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"/?#@\\,".utf8.contains($0) }) {
                return origin
            }
        }
        throw ImageError(
            .invalidParameter,
            "invalid origin \(text.quotedForPeople): write a scheme and a host, as in https://example.org, or *")
    }
}
