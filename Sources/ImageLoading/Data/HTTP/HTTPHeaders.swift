/// HTTP header fields. Names are case-insensitive.
public struct HTTPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// The fields in the order in which they were added. Names may repeat.
    public private(set) var fields: [(name: String, value: String)] = []

    /// Creates an empty header.
    public init() {}

    /// Creates a header with these fields, in this order.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { add(name, value) }
    }

    /// The first value of the field `name`. Setting it replaces all fields of that name.
    public subscript(name: String) -> String? {
        get { fields.first { Self.areEqual($0.name, name) }?.value }
        set {
            fields.removeAll { Self.areEqual($0.name, name) }
            if let newValue { add(name, newValue) }
        }
    }

    /// All values of the fields with this name.
    public func values(_ name: String) -> [String] {
        fields.filter { Self.areEqual($0.name, name) }.map(\.value)
    }

    /// Appends a field, even if there are others of its name.
    public mutating func add(_ name: String, _ value: String) { fields.append((name, value)) }

    private static func areEqual(_ a: String, _ b: String) -> Bool {
        a.utf8.count == b.utf8.count && a.utf8.elementsEqual(b.utf8) { lower($0) == lower($1) }
    }

    private static func lower(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte | 0x20 : byte }

    /// Whether both have the same fields in the same order.
    public static func == (a: HTTPHeaders, b: HTTPHeaders) -> Bool {
        a.fields.elementsEqual(b.fields) { areEqual($0.name, $1.name) && $0.value == $1.value }
    }

    /// Hashes the values only, as equal names may differ in case.
    public func hash(into hasher: inout Hasher) {
        for field in fields { hasher.combine(field.value) }
    }
}

/// The `Cache-Control` directives of a response (RFC 9111, section 5.2.2) that concern a private cache.
package struct CacheControl: Equatable {
    /// The lifetime in seconds (`max-age`).
    package var maximumAge: Int64?
    /// Whether the response must be revalidated before each use.
    package var noCache = false
    /// Whether the response must not be stored.
    package var noStore = false

    /// Parses the directives in `headers`; unknown and invalid ones are ignored.
    package init(_ headers: HTTPHeaders) {
        for directive in headers.values("Cache-Control").flatMap(Self.directives) {
            let parts = directive.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? parts[1].trimmedHTTPWhitespace : nil
            switch parts[0].trimmedHTTPWhitespace.lowercased() {
            case "max-age":
                // An invalid lifetime counts as stale (section 4.2.1). Of several, the shortest is safe.
                let age = value.flatMap { DeltaSeconds.parse(Self.unquoted($0)) } ?? 0
                maximumAge = min(maximumAge ?? age, age)
            case "no-cache":
                // With field names, the directive concerns only those fields, which aren't cached here.
                if value == nil { noCache = true }
            case "no-store": noStore = true
            default: break
            }
        }
    }

    /// Splits at commas outside of quotes.
    private static func directives(_ text: String) -> [Substring] {
        var isQuoted = false
        return text.split { character in
            if character == "\"" { isQuoted.toggle() }
            return character == "," && !isQuoted
        }
    }

    private static func unquoted(_ text: String) -> Substring {
        text.utf8.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"") ? text.dropFirst().dropLast() : text[...]
    }
}

/// The byte range in a 206 response (RFC 9110, section 14.4).
package struct ContentRange: Equatable {
    /// The offset of the first byte; `last` is that of the last one.
    package var first: Int
    package var last: Int
    /// The total length, if the server knows it.
    package var total: Int?
}

extension ContentRange {
    /// Parses `bytes 10-99/100` or `bytes 10-99/*`; nil for anything else, and for inconsistent numbers.
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

/// The `Retry-After` field (RFC 9110, section 10.2.3).
enum RetryAfter {
    /// The delay in seconds, from a number or a date; nil if the field is missing or invalid.
    static func seconds(_ headers: HTTPHeaders, now: Int64) -> Int64? {
        guard let value = headers["Retry-After"]?.trimmedHTTPWhitespace else { return nil }
        if let seconds = DeltaSeconds.parse(value) { return seconds }
        guard let date = HTTPDate.secondsSince1970(value) else { return nil }
        return max(0, date - now)
    }
}

/// A time span in whole seconds (RFC 9111, section 1.2.2).
enum DeltaSeconds {
    /// The largest span, about seventy thousand years; larger ones are clamped.
    static let maximum: Int64 = 1 << 41

    /// Parses a span, at most `maximum`. Nil for anything but digits.
    static func parse(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty else { return nil }
        var value: Int64 = 0
        for byte in text.utf8 {
            guard (48...57).contains(byte) else { return nil }
            value = min(value * 10 + Int64(byte - 48), maximum)
        }
        return value
    }
}

extension StringProtocol {
    /// The string without leading and trailing spaces and tabs.
    package var trimmedHTTPWhitespace: String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let rest = drop(while: isSpace)
        guard let last = rest.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(rest[...last])
    }
}
