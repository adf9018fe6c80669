internal import ImageFormats
package import Raster

/// The normalized HTTP address of an image on another server, for comparison and requests.
///
/// Scheme and host are lower case, the host has no trailing dot, the port is always present, and the path has no dot
/// segments. Forms that servers and clients are known to interpret differently are refused.
package struct RemoteAddress: Hashable, Sendable {
    /// `http` or `https`.
    package let scheme: String
    /// An ASCII host name, or an IP address without brackets.
    package let host: String
    /// 1...65535; 80 or 443 where the address has none.
    package let port: Int
    /// The percent-encoded path, beginning with a slash.
    package let path: String
    /// The percent-encoded query without its question mark; nil if there is none.
    package let query: String?

    /// The host as an IP address; nil for a name.
    package var hostAddress: NetworkAddress? { NetworkAddress(host) }

    /// The complete address: `https://example.org/a.jpg`.
    package var text: String { "\(server)\(path)\(query.map { "?\($0)" } ?? "")" }

    /// Scheme and host, and the port unless it is the scheme's default.
    package var server: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return "\(scheme)://\(host)\(port == (scheme == "https" ? 443 : 80) ? "" : ":\(port)")"
    }

    /// The most bytes of an address, as sent and once encoded.
    static let byteCount = 2048

    /// Parses an absolute HTTP address and drops its fragment.
    /// - Throws: 400 for another scheme, user information, a host that isn't ASCII, ambiguous numeric hosts,
    ///   backslashes, control characters, and paths that lead upwards once decoded; 414 for more than 2048 bytes.
    package init(_ text: some StringProtocol) throws(RequestFailure) {
        let bytes = Array(text.utf8.prefix { $0 != UInt8(ascii: "#") })
        guard bytes.count <= Self.byteCount else {
            throw RequestFailure(414, "the image's address is longer than \(Self.byteCount) bytes")
        }
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }) else {
            throw Self.failure("it has a control character or a backslash in it")
        }
        let lower = bytes.prefix(8).map { (65...90).contains($0) ? $0 | 0x20 : $0 }
        if lower.starts(with: "https://".utf8) {
            scheme = "https"
        } else if lower.starts(with: "http://".utf8) {
            scheme = "http"
        } else {
            throw Self.failure("it begins neither with http:// nor with https://")
        }
        let rest = bytes[(scheme.utf8.count + 3)...]
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        (host, port) = try Self.authority(authority, scheme)
        let target = rest[authority.endIndex...]
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        self.path = try Self.path(path)
        query = path.endIndex == target.endIndex ? nil : try Self.encoded(target[(path.endIndex + 1)...])
        // Percent-encoding has made it longer.
        guard self.text.utf8.count <= Self.byteCount else {
            throw RequestFailure(414, "the image's address is longer than \(Self.byteCount) bytes once it is encoded")
        }
    }

    private static func failure(_ reason: String) -> RequestFailure {
        RequestFailure(400, "this is no address of an image: \(reason)")
    }

    // MARK: Host and port

    private static func authority(
        _ bytes: ArraySlice<UInt8>, _ scheme: String
    ) throws(RequestFailure) -> (host: String, port: Int) {
        guard !bytes.contains(UInt8(ascii: "@")) else { throw failure("it has a name before its host") }
        var name = bytes
        var port: ArraySlice<UInt8>?
        let end = bytes.first == UInt8(ascii: "[") ? bytes.firstIndex(of: UInt8(ascii: "]")) : bytes.startIndex
        guard let end else { throw failure("a ] is missing") }
        if let colon = bytes[end...].firstIndex(of: UInt8(ascii: ":")) {
            name = bytes[..<colon]
            port = bytes[(colon + 1)...]
        }
        let host = try host(name)
        guard let port else { return (host, scheme == "https" ? 443 : 80) }
        guard (1...5).contains(port.count), port.allSatisfy({ (48...57).contains($0) }),
            let number = Int(String(decoding: port, as: UTF8.self)), (1...65535).contains(number)
        else { throw failure("its port is no number from 1 to 65535") }
        return (host, number)
    }

    private static func host(_ bytes: ArraySlice<UInt8>) throws(RequestFailure) -> String {
        if bytes.first == UInt8(ascii: "[") {
            guard bytes.last == UInt8(ascii: "]"), bytes.count > 2,
                let address = NetworkAddress(String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)),
                address.isVersion6
            else { throw failure("the part in brackets is no IP address") }
            return address.description
        }
        guard bytes.allSatisfy({ $0 < 0x80 }) else {
            throw failure("its host isn't written in ASCII, as in xn--bcher-kva.example")
        }
        var name = String(decoding: bytes, as: UTF8.self).lowercased()[...]
        if name.hasSuffix(".") { name = name.dropLast() }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard name.utf8.count <= 253,
            labels.allSatisfy({ label in
                (1...63).contains(label.utf8.count)
                    && label.utf8.allSatisfy { byte in
                        (97...122).contains(byte) || (48...57).contains(byte) || byte == UInt8(ascii: "-")
                            || byte == UInt8(ascii: "_")
                    }
            })
        else { throw failure("its host is no name") }
        // Some clients read any host that ends in a number as an IPv4 address: 10.0.0.1, but also 167772161, 0x7f.1 and
        // 010.0.0.1, which others read differently (WHATWG URL, 3.5).
        if let last = labels.last, last.utf8.allSatisfy({ (48...57).contains($0) }) || last.hasPrefix("0x") {
            guard let address = NetworkAddress(name) else {
                throw failure("its host is no address as they are written")
            }
            return address.description
        }
        return String(name)
    }

    // MARK: Path and query

    /// The path with its dot segments removed (RFC 3986, 5.2.4), whether or not their dots are encoded.
    private static func path(_ bytes: ArraySlice<UInt8>) throws(RequestFailure) -> String {
        guard !bytes.isEmpty else { return "/" }
        var segments: [String] = []
        let parts = bytes.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            let segment = try encoded(part)
            let isLast = index == parts.count - 1
            switch segment.lowercased().replacing("%2e", with: ".") {
            case ".": if isLast { segments.append("") }
            case "..":
                _ = segments.popLast()
                if isLast { segments.append("") }
            default:
                try check(segment)
                segments.append(segment)
            }
        }
        return "/" + segments.joined(separator: "/")
    }

    /// Refuses a segment that would lead upwards on a server that decodes it again, treats an encoded slash as a
    /// separator, or strips everything after a semicolon.
    private static func check(_ segment: String) throws(RequestFailure) {
        var decoded = Array(segment.utf8)
        for round in 0... {
            guard !decoded.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
                throw failure("it has an encoded control character in it")
            }
            let names = decoded.split(omittingEmptySubsequences: false) {
                $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\")
            }
            guard !names.contains(where: { $0.prefix { $0 != UInt8(ascii: ";") }.elementsEqual("..".utf8) }) else {
                throw failure("its path leads upwards")
            }
            guard decoded.contains(UInt8(ascii: "%")) else { return }
            // Each round shortens the segment by at least two bytes or ends. No harmless name is encoded eight times.
            guard round < 8 else { throw failure("its path is encoded too often") }
            guard let next = PercentEncoding.decoded(Substring(decoding: decoded, as: UTF8.self).utf8), next != decoded
            else { return }
            decoded = next
        }
    }

    /// Encodes bytes that an address may not contain, and normalizes existing percent-encoding.
    private static func encoded(_ bytes: ArraySlice<UInt8>) throws(RequestFailure) -> String {
        var result: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte == UInt8(ascii: "%") {
                guard index + 2 < bytes.endIndex,
                    let value = PercentEncoding.decoded(
                        Substring(decoding: bytes[index...(index + 2)], as: UTF8.self).utf8)?.first
                else { throw failure("a % isn't followed by two hexadecimal digits") }
                result += PercentEncoding.encoded(value).utf8
                index += 3
                continue
            }
            if byte <= 0x20 || byte >= 0x7F || "\"<>[]^`{|}".utf8.contains(byte) {
                result += PercentEncoding.encoded(byte).utf8
            } else {
                result.append(byte)
            }
            index += 1
        }
        return String(decoding: result, as: UTF8.self)
    }
}

/// A server and a path on it, below which images may be fetched.
package struct Origin: Hashable, Sendable {
    /// The server and the path.
    package let address: RemoteAddress
    /// Whether its host may resolve to private addresses, such as those of this machine or its network.
    package let allowsPrivateAddresses: Bool

    /// Parses `https://example.org/photos/`, or `private+` and such an address.
    ///
    /// The path matches whole segments: `/photos` allows `/photos/a.jpg`, not `/photos2/a.jpg`. A host name may only
    /// resolve to public addresses unless it has the `private+` prefix; an IP address may be private without it.
    /// - Throws: `invalidParameter`.
    package init(_ text: String) throws(ImageError) {
        let marker = "private+"
        let isMarked = text.lowercased().hasPrefix(marker)
        let address: RemoteAddress
        do throws(RequestFailure) {
            address = try RemoteAddress(isMarked ? text.dropFirst(marker.count) : text[...])
        } catch {
            throw ImageError(
                .invalidParameter,
                "the origin \(text.quotedForPeople) isn't the beginning of an address, as in https://example.org/photos/: \(error.message)"
            )
        }
        guard address.query == nil, !text.contains("#") else {
            throw ImageError(
                .invalidParameter, "the origin \(text.quotedForPeople) has a query; a path is all that counts")
        }
        self.address = address
        allowsPrivateAddresses = isMarked || address.hostAddress != nil
    }

    /// Whether `other` has the same scheme, host and port, and a path within this one.
    package func allows(_ other: RemoteAddress) -> Bool {
        guard other.scheme == address.scheme, other.host == address.host, other.port == address.port else {
            return false
        }
        let prefix = address.path.utf8
        guard other.path.utf8.starts(with: prefix) else { return false }
        return prefix.last == UInt8(ascii: "/") || other.path.utf8.count == prefix.count
            || other.path.utf8.dropFirst(prefix.count).first == UInt8(ascii: "/")
    }

    /// Whether a host with these addresses may be contacted. One private address refuses all of them, as a defence
    /// against DNS rebinding.
    package func allows(_ addresses: [NetworkAddress]) -> Bool {
        allowsPrivateAddresses || addresses.allSatisfy(\.isPublic)
    }
}
