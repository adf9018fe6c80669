/// What a picture is called: its path below the folder that is served.
///
/// Two are equal when their bytes are: letters that look the same can be written in several ways, and are then names of
/// several files.
package struct PictureIdentifier: Sendable {
    /// The path: `a/b.jpg`.
    package let path: String

    /// How many bytes an identifier may have, and a name in it.
    package static let byteCount = 1024
    package static let nameByteCount = 255

    /// The identifier in a text that was decoded once.
    /// - Throws: 404 for whatever can't be one: an empty text or name, names that begin with a dot, backslashes, control
    ///   characters, too many bytes. None of it is repaired.
    package init(decoded: String) throws(RequestFailure) {
        guard Self.isPath(decoded) else { throw .noSuchPicture }
        path = decoded
    }

    /// The identifier of a picture on another server: its address.
    init(_ address: RemoteAddress) { path = address.text }

    /// Whether `text` is a path of visible names.
    static func isPath(_ text: String) -> Bool {
        guard text.utf8.count <= byteCount else { return false }
        // By bytes: to Swift's characters a slash with an accent on it is no slash.
        return text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { name in
            !name.isEmpty && name.count <= nameByteCount && name.first != UInt8(ascii: ".")
                && !name.contains { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") }
        }
    }

    /// The last of its names.
    package var name: String {
        String(
            Substring(
                path.utf8.suffix(from: path.utf8.lastIndex(of: 0x2F).map(path.utf8.index(after:)) ?? path.startIndex)))
    }

    /// What follows the last dot of its name, in lower case; nil where there is no dot.
    package var filenameExtension: String? { Self.filenameExtension(of: name) }

    /// What follows the last dot of a name, in lower case; nil where there is no dot.
    static func filenameExtension(of name: String) -> String? {
        let name = name.utf8
        return name.lastIndex(of: UInt8(ascii: ".")).map {
            String(Substring(name[name.index(after: $0)...])).lowercased()
        }
    }

    /// It as one segment of an address.
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
