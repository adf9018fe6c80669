/// An image's name in addresses: its path from the top of the served folders, or the address of a remote image.
///
/// Identifiers are equal if their bytes are: Unicode has several encodings of the same letters, and a file system can
/// have a file for each.
package struct PictureIdentifier: Sendable {
    /// The path, such as `a/b.jpg`.
    package let path: String

    /// The most bytes of an identifier, and of each name in it.
    package static let byteCount = 1024
    package static let nameByteCount = 255

    /// Validates text that was percent-decoded once. Nothing is repaired.
    /// - Throws: 404 for an empty text or name, names that begin with a dot, backslashes, control characters, and
    ///   excessive length.
    package init(decoded: String) throws(RequestFailure) {
        guard Self.isPath(decoded) else { throw .noSuchPicture }
        path = decoded
    }

    /// The identifier of a remote image: its address.
    init(_ address: RemoteAddress) { path = address.text }

    /// Whether `text` is a path of valid names that aren't hidden.
    static func isPath(_ text: String) -> Bool {
        guard text.utf8.count <= byteCount else { return false }
        // Compare bytes: a slash with a combining accent isn't equal to a slash as a Swift character.
        return text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { name in
            !name.isEmpty && name.count <= nameByteCount && name.first != UInt8(ascii: ".")
                && !name.contains { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }
        }
    }

    /// The last component of the path.
    package var name: String {
        String(
            Substring(
                path.utf8.suffix(from: path.utf8.lastIndex(of: 0x2F).map(path.utf8.index(after:)) ?? path.startIndex)))
    }

    /// The lower-case text after the last dot of the name; nil if there is no dot.
    package var filenameExtension: String? { Self.filenameExtension(of: name) }

    /// The lower-case text after the last dot of a name; nil if there is no dot.
    static func filenameExtension(of name: String) -> String? {
        let name = name.utf8
        return name.lastIndex(of: UInt8(ascii: ".")).map {
            String(Substring(name[name.index(after: $0)...])).lowercased()
        }
    }

    /// The identifier as one percent-encoded segment of a path.
    package var encoded: String { URLPath.encode(path) }
}

extension PictureIdentifier: Hashable {
    package static func == (a: PictureIdentifier, b: PictureIdentifier) -> Bool {
        a.path.utf8.elementsEqual(b.path.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var path = path
        path.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
