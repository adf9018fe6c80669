internal import ImageFormats
package import Raster

/// The path below which clients see a server's addresses, `/images`; empty for none.
package struct BasePath: Hashable, Sendable {
    /// The path, without a slash at its end.
    package let text: String

    /// No path.
    package static let none = BasePath(verbatim: "")

    private init(verbatim text: String) { self.text = text }

    /// Checks an operator's path; an empty one, or a slash, is none.
    /// - Throws: `invalidParameter` for a path that isn't made of plain segments, or whose first segment begins addresses
    ///   of the server itself.
    package init(_ text: String) throws(ImageError) {
        guard let path = BasePath(forwarded: text) else {
            throw ImageError(
                .invalidParameter,
                "invalid base path \(text.quotedForPeople): write letters, digits, -, ., _ and ~, as in /images")
        }
        let first = path.text.dropFirst().prefix { $0 != "/" }
        let isOwn = first == SignedPrefix.segment || Route.table.contains { $0.pattern.firstSegment == first }
        guard !isOwn || first.isEmpty else {
            throw ImageError(
                .invalidParameter,
                "the base path can't begin with /\(first), which the server's own addresses begin with")
        }
        self = path
    }

    /// Checks the path of an `X-Forwarded-Prefix` header; nil for one that isn't made of plain segments.
    package init?(forwarded text: some StringProtocol) {
        guard text.utf8.count <= 255 else { return nil }
        var path = Substring(text)
        while path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
        guard !path.isEmpty else {
            self = .none
            return
        }
        guard path.utf8.first == UInt8(ascii: "/") else { return nil }
        for segment in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard !segment.isEmpty, segment != ".", segment != "..",
                segment.utf8.allSatisfy({ $0.isLetterOrDigit || "-._~".utf8.contains($0) })
            else { return nil }
        }
        self.text = String(path)
    }

    /// Splits a request's path and query into this path, if it begins with it, and the rest, which begins with a slash.
    func split(_ target: some StringProtocol) -> (base: String, rest: String) {
        guard !text.isEmpty, target.utf8.starts(with: text.utf8) else { return ("", String(target)) }
        let rest = Substring(target).utf8.dropFirst(text.utf8.count)
        switch rest.first {
        case UInt8(ascii: "/"): return (text, String(Substring(rest)))
        case nil, UInt8(ascii: "?"): return (text, "/" + String(Substring(rest)))
        default: return ("", String(target))
        }
    }
}
