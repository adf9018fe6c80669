package import ImageFormats

/// A request's path, split before it is decoded, so that an encoded slash stays within its segment.
package struct URLPath: Hashable, Sendable {
    /// The path as sent.
    package let raw: String
    /// The text between slashes, as sent; `/` has no segments, and `/a/` ends with an empty one.
    package let rawSegments: [String]

    /// Splits the path `raw`, which has no query.
    /// - Throws: 414 for a path longer than `URLLimits` allows; 400 for one that doesn't begin with a slash, for spaces
    ///   and control characters, for encoded zero bytes, and for a `%` without two hexadecimal digits.
    package init(_ raw: some StringProtocol) throws(RequestFailure) {
        let bytes = Array(raw.utf8)
        guard bytes.count <= URLLimits.pathByteCount else {
            throw RequestFailure(414, "the path is longer than \(URLLimits.pathByteCount) bytes")
        }
        guard bytes.first == UInt8(ascii: "/") else { throw .malformed("the path doesn't begin with a slash") }
        guard !bytes.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
            throw .malformed("the path has a space or a control character in it")
        }
        guard let decoded = PercentEncoding.decoded(Substring(raw).utf8) else {
            throw .malformed("a % in the path isn't followed by two hexadecimal digits")
        }
        guard !decoded.contains(0) else { throw .malformed("the path has a zero byte in it") }
        self.raw = String(raw)
        // Compare bytes: a slash with a combining accent isn't equal to a slash as a Swift character.
        rawSegments =
            bytes.count == 1
            ? []
            : Substring(raw).utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
                .map { String(Substring($0)) }
    }

    /// Percent-decodes a segment, once.
    /// - Throws: 400 for a `%` without two hexadecimal digits, a zero byte or invalid UTF-8.
    package static func decode(_ segment: some StringProtocol) throws(RequestFailure) -> String {
        try PercentEncoding.text(Substring(segment).utf8)
    }

    /// Decodes the identifier in the rest of a path, one segment or several.
    /// - Throws: The errors of `decode`.
    static func identifier(in rawSegments: some Sequence<String>) throws(RequestFailure) -> String {
        var decoded: [String] = []
        for segment in rawSegments { decoded.append(try decode(segment)) }
        return decoded.joined(separator: "/")
    }

    /// Encodes text as one path segment, as JavaScript's `encodeURIComponent` does: everything except letters, digits
    /// and `-_.!~*'()`.
    package static func encode(_ text: some StringProtocol) -> String {
        PercentEncoding.encoded(text, keeping: "!*'()")
    }
}

/// A query's items in their order.
package struct URLQuery: Sendable {
    /// Decoded names and values; an item without `=` has an empty value.
    package let items: [(name: String, value: String)]

    /// Parses the query `raw` without its question mark. A plus sign is a space, as in HTML forms.
    /// - Throws: 414 for a query longer than `URLLimits` allows, 400 for malformed encoding as in `URLPath.decode`.
    package init(_ raw: some StringProtocol) throws(RequestFailure) {
        guard raw.utf8.count <= URLLimits.queryByteCount else {
            throw RequestFailure(414, "the query is longer than \(URLLimits.queryByteCount) bytes")
        }
        var items: [(name: String, value: String)] = []
        for item in Substring(raw).utf8.split(separator: UInt8(ascii: "&")) {
            let equals = item.firstIndex(of: UInt8(ascii: "="))
            let name = try Self.decode(item[..<(equals ?? item.endIndex)])
            let value = try equals.map { (equals) throws(RequestFailure) in
                try Self.decode(item[item.index(after: equals)...])
            }
            items.append((name, value ?? ""))
        }
        self.items = items
    }

    /// The value of the first item called `name`; nil if there is none.
    package subscript(name: String) -> String? { items.first { $0.name == name }?.value }

    private static func decode(_ part: Substring.UTF8View) throws(RequestFailure) -> String {
        guard part.contains(UInt8(ascii: "+")) else { return try PercentEncoding.text(part) }
        let spaced = String(Substring(part)).split(separator: "+", omittingEmptySubsequences: false)
        return try PercentEncoding.text(spaced.joined(separator: "%20")[...].utf8)
    }
}

/// The maximum lengths of an address's parts, in bytes as sent.
package enum URLLimits {
    /// The path, without the query.
    package static let pathByteCount = 4096
    /// The query, without its question mark.
    package static let queryByteCount = 8192
}

extension PercentEncoding {
    /// Percent-decodes a part of an address, once.
    /// - Throws: 400 for a `%` without two hexadecimal digits, a zero byte or invalid UTF-8, which includes overlong
    ///   forms and surrogates.
    package static func text(_ part: Substring.UTF8View) throws(RequestFailure) -> String {
        guard let bytes = decoded(part) else {
            throw .malformed("a % in the address isn't followed by two hexadecimal digits")
        }
        guard !bytes.contains(0) else { throw .malformed("the address has a zero byte in it") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .malformed("the address isn't in UTF-8")
        }
        return text
    }
}
