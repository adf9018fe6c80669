/// The images that a prefix signature grants: one image with all its renderings, or a folder with all its contents.
///
/// A prefix is a slash and an identifier, `/town/hall.jpg`. A folder's ends with a slash: `/town/`; `/` is everything.
package struct SignedPrefix: Hashable, Sendable {
    /// The first segment of paths that are signed by prefix.
    package static let segment = "signed"

    /// The signed text.
    package let text: String

    /// Every image.
    package static let everything = SignedPrefix(folder: "")

    /// Grants the image with this identifier.
    package init(image identifier: String) { text = "/\(identifier)" }

    /// Grants a folder and the folders below it; an empty path is the top folder.
    package init(folder: String) { text = folder.isEmpty ? "/" : "/\(folder)/" }

    /// Validates a signed text: nil unless it begins with a slash.
    package init?(_ text: String) {
        guard text.utf8.first == UInt8(ascii: "/") else { return nil }
        self.text = text
    }

    /// Whether it grants a folder.
    var isFolder: Bool { text.utf8.last == UInt8(ascii: "/") }

    /// Whether it grants the image with this identifier.
    package func opens(image identifier: String) -> Bool {
        let path = "/\(identifier)".utf8
        return isFolder ? path.starts(with: text.utf8) : path.elementsEqual(text.utf8)
    }

    /// Whether it grants the listing of a folder; an empty path is the top folder.
    package func opens(folder: String) -> Bool {
        isFolder && SignedPrefix(folder: folder).text.utf8.starts(with: text.utf8)
    }
}

/// The images that a request may access.
package struct Grant: Sendable {
    /// The signed prefixes; nil for no restriction.
    private let prefixes: [SignedPrefix]?

    /// No restriction: there are no keys, or the address itself was signed.
    package static let everything = Grant(nil)

    /// Grants everything below the prefixes; nil for everything.
    init(_ prefixes: [SignedPrefix]?) { self.prefixes = prefixes }

    /// - Throws: 403 for an image that no prefix grants.
    package func check(image identifier: String) throws(RequestFailure) {
        guard let prefixes, !prefixes.contains(where: { $0.opens(image: identifier) }) else { return }
        throw .unsigned
    }

    /// - Throws: 403 for a folder's listing that no prefix grants.
    package func check(folder: String) throws(RequestFailure) {
        guard let prefixes, !prefixes.contains(where: { $0.opens(folder: folder) }) else { return }
        throw .unsigned
    }
}

extension RequestFailure {
    /// The address needs a signature and has none.
    static let unsigned = RequestFailure(
        403, "this address must be signed: ask the operator of this server for a signed link")
}
