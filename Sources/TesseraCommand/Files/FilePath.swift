/// Splits and joins paths as text, without access to the file system.
struct FilePath: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    /// Joins `name` to the folder `base`, which may be empty or end in a slash.
    init(_ name: String, in base: String) {
        guard let last = base.utf8.last else {
            text = name
            return
        }
        // Lists of a hundred thousand files are joined by this.
        var text = base
        if last != UInt8(ascii: "/") { text += "/" }
        text += name
        self.text = text
    }

    private var slash: String.Index? { text.utf8.lastIndex(of: UInt8(ascii: "/")) }

    /// The part before the last slash: `a/b` for `a/b/c`, `/` for `/c`, empty for `c`.
    var folder: String {
        guard let slash else { return "" }
        return slash == text.startIndex ? "/" : String(text[..<slash])
    }

    /// The part after the last slash.
    var name: String { String(lastPart) }

    /// The last dot of a name, unless it is the first character.
    private static func dot(in name: Substring) -> String.Index? {
        name.utf8.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 == name.startIndex ? nil : $0 }
    }

    private var lastPart: Substring { slash.map { text[text.utf8.index(after: $0)...] } ?? text[...] }

    /// The part of the name after its last dot, or empty. A leading dot marks a hidden file, not an extension.
    var filenameExtension: String {
        let name = lastPart
        return Self.dot(in: name).map { String(name[name.utf8.index(after: $0)...]) } ?? ""
    }

    /// The name without its extension and dot.
    var stem: String {
        let name = lastPart
        return String(name[..<(Self.dot(in: name) ?? name.endIndex)])
    }
}
