/// Header fields by name. Names count without regard to case.
public struct HTTPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// The fields in the order in which they were added, some names more than once.
    public private(set) var fields: [(name: String, value: String)] = []

    /// Without fields.
    public init() {}

    /// These fields, in this order.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { add(name, value) }
    }

    /// The first value of the field called `name`. Setting it takes the place of all of that name.
    public subscript(name: String) -> String? {
        get { fields.first { Self.areEqual($0.name, name) }?.value }
        set {
            fields.removeAll { Self.areEqual($0.name, name) }
            if let newValue { add(name, newValue) }
        }
    }

    /// All values of the fields called `name`.
    public func values(_ name: String) -> [String] {
        fields.filter { Self.areEqual($0.name, name) }.map(\.value)
    }

    /// Adds one more field.
    public mutating func add(_ name: String, _ value: String) { fields.append((name, value)) }

    private static func areEqual(_ a: String, _ b: String) -> Bool {
        a.utf8.count == b.utf8.count && a.utf8.elementsEqual(b.utf8) { lower($0) == lower($1) }
    }

    private static func lower(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte | 0x20 : byte }

    /// Whether both have the same fields in the same order.
    public static func == (a: HTTPHeaders, b: HTTPHeaders) -> Bool {
        a.fields.elementsEqual(b.fields) { areEqual($0.name, $1.name) && $0.value == $1.value }
    }

    /// Hashes the values, names being the same in several spellings.
    public func hash(into hasher: inout Hasher) {
        for field in fields { hasher.combine(field.value) }
    }
}

/// What a response says about keeping it (RFC 9111, section 5.2.2), as far as it concerns a cache of one user's.
package struct CacheControl: Equatable {
    /// For how many seconds it is good.
    package var maximumAge: Int64?
    /// Its server has to be asked each time.
    package var noCache = false
    /// It isn't to be kept.
    package var noStore = false

    /// Reads the fields of `headers`; what is unknown or makes no sense is left out.
    package init(_ headers: HTTPHeaders) {
        for directive in headers.values("Cache-Control").flatMap(Self.directives) {
            let parts = directive.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? parts[1].trimmedHTTPWhitespace : nil
            switch parts[0].trimmedHTTPWhitespace.lowercased() {
            case "max-age":
                // A span that makes no sense is none: stale (section 4.2.1). Of several, the shortest is safe.
                let age = value.flatMap { DeltaSeconds.parse(Self.unquoted($0)) } ?? 0
                maximumAge = min(maximumAge ?? age, age)
            case "no-cache":
                // With names it concerns those fields alone, which aren't kept here.
                if value == nil { noCache = true }
            case "no-store": noStore = true
            default: break
            }
        }
    }

    /// The parts between commas, of which those in quotes don't count.
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

/// Which part of the whole a response with status 206 has (RFC 9110, section 14.4).
package struct ContentRange: Equatable {
    /// The first byte and the last one.
    package var first: Int
    package var last: Int
    /// Bytes of the whole, where the server knows.
    package var total: Int?
}

extension ContentRange {
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

/// When a server wants to be asked again (RFC 9110, section 10.2.3).
enum RetryAfter {
    /// In how many seconds, which the server gives as a number or as a date; nil where it doesn't, or makes no sense.
    static func seconds(_ headers: HTTPHeaders, now: Int64) -> Int64? {
        guard let value = headers["Retry-After"]?.trimmedHTTPWhitespace else { return nil }
        if let seconds = DeltaSeconds.parse(value) { return seconds }
        guard let date = HTTPDate.secondsSince1970(value) else { return nil }
        return max(0, date - now)
    }
}

/// A time span in whole seconds (RFC 9111, section 1.2.2).
enum DeltaSeconds {
    /// As large as any is taken: about a hundred thousand years.
    static let maximum: Int64 = 1 << 41

    /// The span; larger ones than can be are `maximum`. Nil for anything but digits.
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
    /// Without the spaces and tabs around it.
    package var trimmedHTTPWhitespace: String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let rest = drop(while: isSpace)
        guard let last = rest.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(rest[...last])
    }
}
