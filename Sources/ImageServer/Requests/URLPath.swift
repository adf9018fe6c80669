package import ImageFormats

/// The path of a request, split before anything in it is decoded, so that an encoded slash stays within its segment.
package struct URLPath: Hashable, Sendable {
    /// The path as it was sent.
    package let raw: String
    /// What stands between the slashes, as it was sent: none of `/`, and an empty one at the end of `/a/`.
    package let rawSegments: [String]

    /// The path `raw`, without a query.
    /// - Throws: 414 for more than `URLLimits` has, 400 for a path that doesn't begin with a slash, for control
    ///   characters and zero bytes, encoded or not, and for a `%` without two hexadecimal digits.
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
        // By bytes: to Swift's characters a slash with an accent on it is no slash.
        rawSegments =
            bytes.count == 1
            ? []
            : Substring(raw).utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
                .map { String(Substring($0)) }
    }

    /// The text of a segment, decoded once.
    /// - Throws: 400 for a `%` without two hexadecimal digits, a zero byte, and what isn't UTF-8.
    package static func decode(_ segment: some StringProtocol) throws(RequestFailure) -> String {
        try PercentEncoding.text(Substring(segment).utf8)
    }

    /// The identifier in what is left of a path: one segment, or several.
    /// - Throws: As `decode` does.
    static func identifier(in rawSegments: some Sequence<String>) throws(RequestFailure) -> String {
        var decoded: [String] = []
        for segment in rawSegments { decoded.append(try decode(segment)) }
        return decoded.joined(separator: "/")
    }

    /// The text as one segment of an address, as JavaScript's `encodeURIComponent` writes it: all bytes in hexadecimal
    /// but letters, digits and `-_.!~*'()`.
    package static func encode(_ text: some StringProtocol) -> String {
        PercentEncoding.encoded(text, keeping: "!*'()")
    }
}

/// The items of a query, in their order.
package struct URLQuery: Sendable {
    /// Names and values, decoded; the value of one without `=` is empty.
    package let items: [(name: String, value: String)]

    /// The query `raw`, without its question mark. A plus sign is a space, as browsers write it in forms.
    /// - Throws: 414 for more than `URLLimits` has, 400 for what isn't well encoded (`URLPath.decode`).
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

    /// The value of the first item called `name`; nil where there is none.
    package subscript(name: String) -> String? { items.first { $0.name == name }?.value }

    private static func decode(_ part: Substring.UTF8View) throws(RequestFailure) -> String {
        guard part.contains(UInt8(ascii: "+")) else { return try PercentEncoding.text(part) }
        let spaced = String(Substring(part)).split(separator: "+", omittingEmptySubsequences: false)
        return try PercentEncoding.text(spaced.joined(separator: "%20")[...].utf8)
    }
}

/// How long the parts of an address may be, in bytes as they are sent.
package enum URLLimits {
    /// The path.
    package static let pathByteCount = 4096
    /// The query, without its question mark.
    package static let queryByteCount = 8192
}

extension UInt8 {
    /// Whether it is a letter or a digit of ASCII.
    var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

extension PercentEncoding {
    /// The text of a part of an address, decoded once.
    /// - Throws: 400 for a `%` without two hexadecimal digits, a zero byte, and what isn't UTF-8, overlong forms and
    ///   surrogates among it.
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
