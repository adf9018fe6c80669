/// Which part of the whole a response with status 206 has (RFC 9110, section 14.4).
package struct ContentRange: Equatable {
    /// The first byte and the last one.
    package var first: Int
    package var last: Int
    /// Bytes of the whole, where the server knows.
    package var total: Int?

    init(first: Int, last: Int, total: Int?) {
        self.first = first
        self.last = last
        self.total = total
    }

    /// Reads `bytes 10-99/100` or `bytes 10-99/*`; nil for anything else, and where the numbers contradict each other.
    package init?(_ text: String) {
        let words = text.trimmedHTTPWhitespace.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last else {
            return nil
        }
        self.init(first: first, last: last, total: nil)
        if halves[1] != "*" {
            guard let total = Self.number(halves[1]), last < total else { return nil }
            self.total = total
        }
    }

    private static func number(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }
}
