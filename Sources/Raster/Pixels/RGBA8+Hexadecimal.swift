extension RGBA8 {
    /// The colour that six or eight hexadecimal digits stand for, as in CSS: red, green, blue and perhaps alpha, with or
    /// without a number sign before them. Nil for anything else.
    public init?(hex text: String) {
        let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
        guard digits.utf8.count == 6 || digits.utf8.count == 8, digits.allSatisfy(\.isHexDigit),
            let value = UInt32(digits, radix: 16)
        else { return nil }
        let rgba = digits.utf8.count == 8 ? value : value << 8 | 0xFF
        self.init(
            UInt8(truncatingIfNeeded: rgba >> 24), UInt8(truncatingIfNeeded: rgba >> 16),
            UInt8(truncatingIfNeeded: rgba >> 8), UInt8(truncatingIfNeeded: rgba))
    }

    /// The colour as CSS writes it: `#` and eight digits, six where it is opaque.
    public var hex: String {
        let channels = alpha == 255 ? [red, green, blue] : [red, green, blue, alpha]
        return channels.reduce("#") { $0 + ($1 < 16 ? "0" : "") + String($1, radix: 16) }
    }
}

/// A colour is coded as text: `"#336699"`.
extension RGBA8: Codable {
    /// Reads what `init(hex:)` takes.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let color = RGBA8(hex: text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(text)\" is no colour: write #336699, or #33669980 with alpha")
        }
        self = color
    }

    /// Writes `hex`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(hex)
    }
}
