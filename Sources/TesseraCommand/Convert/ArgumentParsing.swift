internal import ArgumentParser
internal import Tessera

extension PixelSize {
    /// A size as people write it: `400x300`.
    static func parse(_ argument: String) throws -> PixelSize {
        let parts = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]) else {
            throw ValidationError("write a width and a height in pixels, as in 400x300")
        }
        guard width > 0, height > 0 else { throw ValidationError("both sides must be at least 1") }
        return PixelSize(width: width, height: height)
    }
}

extension RGBA8 {
    /// A colour as in HTML: `ffffff` or `#336699`.
    static func parse(_ argument: String) throws -> RGBA8 {
        let digits = argument.hasPrefix("#") ? argument.dropFirst() : argument[...]
        guard digits.utf8.count == 6, digits.allSatisfy(\.isHexDigit), let value = UInt32(digits, radix: 16) else {
            throw ValidationError("write red, green and blue as six hexadecimal digits, as in 336699")
        }
        return RGBA8(UInt8(value >> 16), UInt8(value >> 8 & 255), UInt8(value & 255))
    }
}

extension EncodingOptions.JPEG.Subsampling {
    /// A scheme as people write it: `4:2:0` or, for short, `420`.
    static func parse(_ argument: String) throws -> Self {
        let digits = argument.filter { $0 != ":" }
        guard let match = allCases.first(where: { $0.rawValue.filter { $0 != ":" } == digits }) else {
            throw ValidationError("write one of \(allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return match
    }
}
