internal import ImageFormats
internal import ImageLoading

/// A parsed `Accept` header (RFC 9110, section 12.5.1): the accepted media types with their weights.
///
/// Malformed elements are ignored. Parsing stops after `maximumByteCount` bytes or `maximumRangeCount` ranges.
package struct AcceptHeader: Hashable, Sendable {
    private struct Range: Hashable {
        /// `image/webp`, `image/*` or `*/*`, in lower case.
        var type: String
        var weight: Double
    }

    /// Browsers send about 200 bytes.
    static let maximumByteCount = 2048
    static let maximumRangeCount = 64

    private var ranges: [Range] = []

    /// Parses a header's value; nil, an empty value and one without valid elements accept everything.
    package init(_ value: String?) {
        let elements = Self.parts((value ?? "")[...].utf8.prefix(Self.maximumByteCount), between: ",")
        for element in elements where ranges.count < Self.maximumRangeCount {
            let parts = Self.parts(element, between: ";")
            guard let type = Self.type(parts[0]), let weight = Self.weight(parts.dropFirst()) else { continue }
            ranges.append(Range(type: type, weight: weight))
        }
        if ranges.isEmpty { ranges = [Range(type: "*/*", weight: 1)] }
    }

    /// The weight of a media type by its own name, 0...1; nil if it isn't named.
    package func weight(named type: String) -> Double? {
        ranges.lazy.filter { $0.type == type }.map(\.weight).max()
    }

    /// The weight of a media type, 0...1: by its own name, else by `type/*`, else by `*/*`.
    package func weight(of type: String) -> Double {
        let kind = type.prefix { $0 != "/" } + "/*"
        return weight(named: type) ?? weight(named: String(kind)) ?? weight(named: "*/*") ?? 0
    }

    /// Splits at separators outside quotation marks, into at least one part.
    private static func parts(_ bytes: Substring.UTF8View, between separator: Unicode.Scalar) -> [Substring.UTF8View] {
        var (isQuoted, isEscaped) = (false, false)
        return bytes.split(omittingEmptySubsequences: false) { byte in
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && byte == UInt8(ascii: "\\") && !isEscaped
            return byte == UInt8(ascii: separator) && !isQuoted
        }
    }

    private static func text(_ bytes: Substring.UTF8View) -> String {
        String(decoding: bytes, as: UTF8.self).trimmedHTTPWhitespace.lowercased()
    }

    /// `type/subtype` of two tokens, where the second or both may be an asterisk; nil for other text.
    private static func type(_ bytes: Substring.UTF8View) -> String? {
        let type = text(bytes)
        let parts = type.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isToken) }),
            parts[0] != "*" || parts[1] == "*"
        else { return nil }
        return type
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    /// The `q` parameter, 1 if there is none; nil unless it is a number from 0 to 1 with at most three decimal places.
    private static func weight(_ parameters: ArraySlice<Substring.UTF8View>) -> Double? {
        for parameter in parameters.lazy.map(text) where parameter.hasPrefix("q=") {
            let number = parameter.dropFirst(2).utf8
            guard (1...5).contains(number.count), let first = number.first,
                first == UInt8(ascii: "0") || first == UInt8(ascii: "1"),
                number.count == 1 || number.dropFirst().first == UInt8(ascii: "."),
                number.dropFirst(2).allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            else { return nil }
            let digits = number.dropFirst(2).reduce((value: 0.0, place: 1.0)) {
                ($0.value + Double($1 - UInt8(ascii: "0")) * $0.place / 10, $0.place / 10)
            }
            let value = Double(first - UInt8(ascii: "0")) + digits.value
            return value <= 1 ? value : nil
        }
        return 1
    }
}
