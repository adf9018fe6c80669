package import Raster

/// The beginning of addresses that pictures may be fetched from: a server, and a path on it.
package struct Origin: Hashable, Sendable {
    /// The server and the path.
    package let address: RemoteAddress
    /// Whether it may be reached by addresses that not everybody can reach: this machine's, and those of private networks.
    package let allowsPrivateAddresses: Bool

    /// Reads `https://example.org/photos/`. The path counts up to a slash: `/photos` allows `/photos/a.jpg`, not
    /// `/photos2/a.jpg`. A host that is written as an address is reached by that address, whatever it is; one with a name only by
    /// addresses that everybody can reach, unless `private+` stands before the whole.
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

    /// Whether `other` begins as this.
    package func allows(_ other: RemoteAddress) -> Bool {
        guard other.scheme == address.scheme, other.host == address.host, other.port == address.port else {
            return false
        }
        let prefix = address.path.utf8
        guard other.path.utf8.starts(with: prefix) else { return false }
        return prefix.last == UInt8(ascii: "/") || other.path.utf8.count == prefix.count
            || other.path.utf8.dropFirst(prefix.count).first == UInt8(ascii: "/")
    }

    /// Whether its host may be reached by all of `addresses`. One that may not be among them is reason enough for none: who
    /// answers so plays with names.
    package func allows(_ addresses: [NetworkAddress]) -> Bool {
        allowsPrivateAddresses || addresses.allSatisfy(\.isPublic)
    }
}
