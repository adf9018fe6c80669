/// Parses numbers in addresses: digits, for some with a decimal point; no sign, exponent or space.
package enum RequestNumber {
    /// The most characters of a number. A `Double` represents 15 digits exactly, and sums and doubles of such numbers
    /// don't overflow an `Int`.
    package static let characterCount = 15

    /// Parses a non-negative integer; nil if `text` is malformed or too long.
    package static func integer(_ text: some StringProtocol) -> Int? {
        let digits = text.utf8
        guard 1...characterCount ~= digits.count else { return nil }
        var value = 0
        for digit in digits {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return value
    }
}

/// A non-negative decimal number with its canonical text.
package struct DecimalNumber: Hashable, Sendable {
    /// The nearest Double.
    package let value: Double
    /// The canonical digits: no leading or trailing zeros, no point without a fraction, a zero before a leading point
    /// (IIIF Image API 3.0, 4.7).
    package let text: String

    /// Parses digits with at most one point; nil if `text` is malformed or too long.
    package init?(_ text: some StringProtocol) {
        guard 1...RequestNumber.characterCount ~= text.utf8.count else { return nil }
        let parts = Substring(text).utf8.split(
            separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = parts.count == 2 ? parts[1] : Substring().utf8
        guard parts[0].count + fraction.count > 0,
            [parts[0], fraction].joined().allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
        else { return nil }
        let whole = String(Substring(parts[0]).drop { $0 == "0" })
        var rest = Substring(fraction)
        while rest.last == "0" { rest.removeLast() }
        self.text = (whole.isEmpty ? "0" : whole) + (rest.isEmpty ? "" : "." + rest)
        // At most fifteen digits and a point, which always convert to a Double.
        guard let value = Double(self.text) else { return nil }
        self.value = value
    }

    /// Creates an integer.
    package init(_ value: Int) {
        self.value = Double(value)
        text = "\(value)"
    }
}
