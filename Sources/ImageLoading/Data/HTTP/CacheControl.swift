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
