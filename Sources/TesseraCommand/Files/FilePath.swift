/// The parts of a path, by its text alone.
struct FilePath: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    /// `photo.jpg` in the folder `base`, which may be empty or end in a slash.
    init(_ name: String, in base: String) {
        text = base.isEmpty ? name : base.hasSuffix("/") ? base + name : "\(base)/\(name)"
    }

    private var slash: String.Index? { text.utf8.lastIndex(of: UInt8(ascii: "/")) }

    /// All before the last slash: `a/b` of `a/b/c`, `/` of `/c`, empty of `c`.
    var folder: String {
        guard let slash else { return "" }
        return slash == text.startIndex ? "/" : String(text[..<slash])
    }

    /// All after the last slash.
    var name: String { slash.map { String(text[text.utf8.index(after: $0)...]) } ?? text }

    private var parts: (stem: String, filenameExtension: String) {
        let name = name
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return (name, "") }
        return (String(name[..<dot]), String(name[name.utf8.index(after: dot)...]))
    }

    /// What follows the name's last dot, or empty; a leading dot makes a hidden file and no extension.
    var filenameExtension: String { parts.filenameExtension }

    /// The name without extension and dot.
    var stem: String { parts.stem }
}
