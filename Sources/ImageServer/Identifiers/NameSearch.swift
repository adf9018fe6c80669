/// A case-insensitive substring search of names.
///
/// Composed and decomposed accents match each other.
struct NameSearch {
    private let text: String
    private let bytes: [UInt8]
    private let isASCII: Bool

    init(_ text: String) {
        self.text = text.lowercased()
        bytes = Array(self.text.utf8)
        isASCII = bytes.allSatisfy { $0 < 0x80 }
    }

    func matches(_ name: String) -> Bool {
        guard !bytes.isEmpty else { return true }
        let name = name.lowercased()
        // ASCII text has a single encoding, and comparing bytes is much cheaper.
        if isASCII { return Self.contains(Array(name.utf8), bytes) }
        return Self.contains(Array(name), Array(text))
    }

    private static func contains<Element: Equatable>(_ elements: [Element], _ part: [Element]) -> Bool {
        guard part.count <= elements.count else { return false }
        return (0...elements.count - part.count).contains { start in
            part.indices.allSatisfy { elements[start + $0] == part[$0] }
        }
    }
}
