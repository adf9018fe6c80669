package import Raster

/// One value of a written effect.
package enum WrittenValue: Hashable, Sendable {
    /// A number.
    case number(Double)
    /// A width and a height.
    case size(width: Double, height: Double)
    /// A colour, straight sRGB.
    case color(RGBA8)
    /// One of several words.
    case word(String)
    /// What a picture is called.
    case picture(String)

    /// `WxH`, decimals allowed; nil for anything else.
    package static func size(_ text: some StringProtocol) -> WrittenValue? {
        let parts = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Double(parts[0]), let height = Double(parts[1]) else { return nil }
        return .size(width: width, height: height)
    }

    /// Three, four, six or eight hexadecimal digits as in CSS, with or without a number sign; nil for anything else.
    package static func color(_ text: some StringProtocol) -> WrittenValue? {
        var digits = String(text)
        if digits.hasPrefix("#") { digits.removeFirst() }
        // A second number sign isn't ours to remove.
        guard !digits.hasPrefix("#") else { return nil }
        let long = digits.utf8.count <= 4 ? String(digits.flatMap { [$0, $0] }) : digits
        return RGBA8(hex: long).map { .color($0) }
    }

    /// The value in its shortest form, the same for equal values. Colours come without the number sign, which would end a
    /// URL's query.
    package var text: String {
        switch self {
        case .number(let value): Self.text(value)
        case .size(let width, let height): "\(Self.text(width))x\(Self.text(height))"
        case .color(let color): String(color.hex.dropFirst())
        case .word(let text), .picture(let text): text
        }
    }

    private static func text(_ value: Double) -> String {
        // -0 is 0, too.
        Int(exactly: value).map { "\($0)" } ?? "\(value)"
    }
}
