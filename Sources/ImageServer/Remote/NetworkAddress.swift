internal import Dispatch
internal import Platform

/// An IPv4 or IPv6 address.
package struct NetworkAddress: Hashable, Sendable {
    /// Four or sixteen bytes in network order.
    package let bytes: [UInt8]

    /// Parses four decimal numbers without leading zeros, or an RFC 4291 form without brackets or zone; nil for
    /// anything else.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count <= 45, !text.utf8.contains(0) else { return nil }
        // An IPv6 address has a colon, an IPv4 address none.
        let (family, count) = text.utf8.contains(UInt8(ascii: ":")) ? (AF_INET6, 16) : (AF_INET, 4)
        var bytes = [UInt8](repeating: 0, count: count)
        guard inet_pton(CInt(family), String(text), &bytes) == 1 else { return nil }
        self.bytes = bytes
    }

    /// Copies the address from a socket address; nil for families other than IPv4 and IPv6.
    init?(_ address: UnsafePointer<sockaddr>) {
        switch CInt(address.pointee.sa_family) {
        // The family determines the structure's type.
        case CInt(AF_INET):
            bytes = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
                withUnsafeBytes(of: pointer.pointee.sin_addr) { Array($0) }
            }
        case CInt(AF_INET6):
            bytes = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                withUnsafeBytes(of: pointer.pointee.sin6_addr) { Array($0) }
            }
        default: return nil
        }
    }

    /// True for IPv6, false for IPv4.
    package var isVersion6: Bool { bytes.count == 16 }

    /// Whether the address is globally reachable: not loopback, private, link-local, multicast or reserved, and not an
    /// IPv6 form of an IPv4 address.
    package var isPublic: Bool {
        guard isVersion6 else { return !Self.special.contains { $0.contains(self) } }
        // IANA has assigned only 2000::/3 as global unicast so far (IPv6 Global Unicast Address Assignments).
        return Self.global.contains(self) && !Self.specialWithinGlobal.contains { $0.contains(self) }
    }

    /// IANA's IPv4 Special-Purpose Address Registry, multicast, and reserved ranges.
    private static let special = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
        "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
    ].map { Network($0) }

    private static let global = Network("2000::/3")
    /// IANA's IPv6 Special-Purpose Address Registry: protocol assignments including Teredo, documentation, 6to4.
    private static let specialWithinGlobal = [
        "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
    ].map { Network($0) }

    /// A range of addresses in CIDR notation.
    struct Network: Sendable {
        let start: NetworkAddress
        let bitCount: Int

        /// Parses a range, or a single address; nil for anything else.
        init?(parsing text: String) {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard let start = NetworkAddress(parts[0]), parts.count <= 2 else { return nil }
            let count = parts.count == 1 ? 8 * start.bytes.count : Int(parts[1])
            guard let count, (0...8 * start.bytes.count).contains(count) else { return nil }
            self.start = start
            bitCount = count
        }

        init(_ text: String) {
            let parts = text.split(separator: "/")
            guard parts.count == 2, let start = NetworkAddress(parts[0]), let count = Int(parts[1]) else {
                preconditionFailure("\(text) is no network")
            }
            self.start = start
            bitCount = count
        }

        func contains(_ address: NetworkAddress) -> Bool {
            guard address.bytes.count == start.bytes.count else { return false }
            return (0..<(bitCount + 7) / 8).allSatisfy { index in
                let mask = UInt8(truncatingIfNeeded: 0xFF00 >> min(8, bitCount - 8 * index))
                return (address.bytes[index] ^ start.bytes[index]) & mask == 0
            }
        }
    }
}

extension NetworkAddress: CustomStringConvertible {
    /// The address in its usual notation, without brackets.
    package var description: String {
        var text = [CChar](repeating: 0, count: 64)
        // 64 bytes hold any address.
        guard inet_ntop(CInt(isVersion6 ? AF_INET6 : AF_INET), bytes, &text, 64) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Resolves host names with the system's resolver.
enum HostLookup {
    /// The addresses of `host` in the resolver's order of preference; empty if there are none or the task is cancelled.
    static func addresses(of host: String) async -> [NetworkAddress] {
        if let address = NetworkAddress(host) { return [address] }
        let (answers, continuation) = AsyncStream<[NetworkAddress]>.makeStream()
        // `getaddrinfo` blocks for as long as the network makes it.
        DispatchQueue.global().async {
            continuation.yield(ask(host))
            continuation.finish()
        }
        return await answers.first { _ in true } ?? []
    }

    private static func ask(_ host: String) -> [NetworkAddress] {
        var hints = addrinfo()
        hints.ai_socktype = SocketOptions.stream
        // Only address families that this machine has configured.
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var found: [NetworkAddress] = []
        var next = list
        while let entry = next {
            // The list stays valid until `freeaddrinfo`.
            if let address = entry.pointee.ai_addr.flatMap({ NetworkAddress($0) }), !found.contains(address) {
                found.append(address)
            }
            next = entry.pointee.ai_next
        }
        return found
    }
}
