/// The images that a prefix signature opens: one image with all that is made of it, or a folder with all that is in it.
///
/// A prefix is a slash and an identifier, `/town/hall.jpg`; with a slash at its end it is a folder: `/town/`, and `/` for
/// everything.
package struct SignedPrefix: Hashable, Sendable {
    /// The first segment of addresses that are signed by prefix.
    package static let segment = "signed"

    /// The prefix as it is signed.
    package let text: String

    /// Every image.
    package static let everything = SignedPrefix(folder: "")

    /// The image with this identifier.
    package init(image identifier: String) { text = "/\(identifier)" }

    /// The images in a folder and in those below it; empty for the top.
    package init(folder: String) { text = folder.isEmpty ? "/" : "/\(folder)/" }

    /// A prefix as it was signed; nil for a text that isn't one.
    package init?(_ text: String) {
        guard text.utf8.first == UInt8(ascii: "/") else { return nil }
        self.text = text
    }

    private var isFolder: Bool { text.utf8.last == UInt8(ascii: "/") }

    /// Whether it opens the image with this identifier.
    package func opens(image identifier: String) -> Bool {
        let path = "/\(identifier)".utf8
        return isFolder ? path.starts(with: text.utf8) : path.elementsEqual(text.utf8)
    }

    /// Whether it opens the list of this folder; empty for the top.
    package func opens(folder: String) -> Bool {
        isFolder && SignedPrefix(folder: folder).text.utf8.starts(with: text.utf8)
    }
}

/// The images that a request may be answered about.
package struct Grant: Sendable {
    /// The prefixes that were signed for; nil: no limit.
    private let prefixes: [SignedPrefix]?

    /// No limit: there are no keys, or this very address was signed.
    package static let everything = Grant(nil)

    /// What these signatures open; nil for everything.
    init(_ prefixes: [SignedPrefix]?) { self.prefixes = prefixes }

    /// - Throws: 403 for an image that no signature opens.
    package func check(image identifier: String) throws(RequestFailure) {
        guard let prefixes, !prefixes.contains(where: { $0.opens(image: identifier) }) else { return }
        throw .unsigned
    }

    /// - Throws: 403 for the list of a folder that no signature opens.
    package func check(folder: String) throws(RequestFailure) {
        guard let prefixes, !prefixes.contains(where: { $0.opens(folder: folder) }) else { return }
        throw .unsigned
    }
}

extension RequestFailure {
    /// The address isn't signed, and nothing else opens it.
    static let unsigned = RequestFailure(
        403, "this address must be signed: ask the operator of this server for a signed link")
}
