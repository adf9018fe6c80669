internal import ImageLoading
internal import ImagePyramid

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

    /// The text as one segment of an address, as JavaScript's `encodeURIComponent` writes it: all bytes in hexadecimal
    /// but letters, digits and `-_.!~*'()`.
    package static func encode(_ text: some StringProtocol) -> String {
        JSONText.percentEncoded(text, keeping: "!*'()")
    }
}
