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
