/// Splits and joins paths as text, without access to the file system.
struct FilePath: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    /// Joins `name` to the folder `base`, which may be empty or end in a slash.
    init(_ name: String, in base: String) {
        text = base.isEmpty ? name : base.hasSuffix("/") ? base + name : "\(base)/\(name)"
    }

    private var slash: String.Index? { text.utf8.lastIndex(of: UInt8(ascii: "/")) }

    /// The part before the last slash: `a/b` for `a/b/c`, `/` for `/c`, empty for `c`.
    var folder: String {
        guard let slash else { return "" }
        return slash == text.startIndex ? "/" : String(text[..<slash])
    }

    /// The part after the last slash.
    var name: String { slash.map { String(text[text.utf8.index(after: $0)...]) } ?? text }

    private var parts: (stem: String, filenameExtension: String) {
        let name = name
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return (name, "") }
        return (String(name[..<dot]), String(name[name.utf8.index(after: dot)...]))
    }

    /// The part of the name after its last dot, or empty. A leading dot marks a hidden file, not an extension.
    var filenameExtension: String { parts.filenameExtension }

    /// The name without its extension and dot.
    var stem: String { parts.stem }
}
