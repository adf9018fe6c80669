/// Numbers as addresses have them: digits, and for some a decimal point; no sign, no exponent, no space.
package enum RequestNumber {
    /// How many characters a number may have. That many digits are exact in a `Double`, and sums and doubles of such
    /// numbers don't overflow an `Int`.
    package static let characterCount = 15

    /// The whole number that `text` is; nil where it is none, or too long.
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

/// A number with a decimal point, and how it is written best.
package struct DecimalNumber: Hashable, Sendable {
    /// What it is.
    package let value: Double
    /// Its digits without those that say nothing: no zeros in front or behind, no point without a fraction, a zero
    /// ahead of a point (IIIF Image API 3.0, 4.7).
    package let text: String

    /// The number that `text` is; nil where it isn't made of digits and at most one point, or is too long.
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
        // At most fifteen digits and a point, which every Double can be made of.
        guard let value = Double(self.text) else { return nil }
        self.value = value
    }

    /// A whole number.
    package init(_ value: Int) {
        self.value = Double(value)
        text = "\(value)"
    }
}
