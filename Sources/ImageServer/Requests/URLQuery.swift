internal import ImageLoading

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
