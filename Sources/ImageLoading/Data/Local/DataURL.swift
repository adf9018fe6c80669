package import Essentials
internal import ImageFormats

/// Bytes that are their own address (RFC 2397).
package struct DataURL {
    /// The media type with its parameters.
    package let mediaType: String
    /// The bytes.
    package let data: Data

    /// Reads `data:[type][;base64],content`. A fragment, which begins with `#`, is no part of the content.
    /// - Throws: `DataLoadingError.invalidDataURL`.
    package init(_ url: String) throws(DataLoadingError) {
        var rest = url.utf8[...]
        guard url.prefix(5).lowercased() == "data:" else { throw Self.failure("it doesn't begin with data:") }
        rest = rest.dropFirst(5).prefix { $0 != UInt8(ascii: "#") }
        guard let comma = rest.firstIndex(of: UInt8(ascii: ",")) else {
            throw Self.failure("it has no comma between type and content")
        }
        var type = String(Substring(rest[..<comma])).trimmedHTTPWhitespace
        let isBase64 = type.lowercased().hasSuffix(";base64")
        if isBase64 { type.removeLast(";base64".count) }
        if type.hasPrefix(";") { type = "text/plain" + type }
        mediaType = type.isEmpty ? "text/plain;charset=US-ASCII" : type
        guard let content = PercentEncoding.decoded(rest[rest.index(after: comma)...]) else {
            throw Self.failure("a % isn't followed by two hexadecimal digits")
        }
        data = Data(isBase64 ? try Self.base64Decoded(content) : content)
    }

    private static func failure(_ reason: String) -> DataLoadingError {
        .invalidDataURL("the data URL can't be read: \(reason)")
    }

    /// Base 64 (RFC 4648, section 4), with white space anywhere and without padding if need be, as browsers take it.
    private static func base64Decoded(_ text: [UInt8]) throws(DataLoadingError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var digitCount = 0
        var paddingCount = 0
        for (offset, byte) in text.enumerated() {
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0C, 0x0D: continue
            case UInt8(ascii: "="):
                paddingCount += 1
                continue
            default: break
            }
            guard let value = base64Value(byte), paddingCount == 0 else {
                throw failure("byte \(offset) of the content isn't base 64")
            }
            bits = bits << 6 | UInt32(value)
            digitCount += 1
            if digitCount % 4 == 0 {
                bytes += [UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 8)]
                bytes.append(UInt8(truncatingIfNeeded: bits))
            }
        }
        let odd = digitCount % 4
        guard odd != 1, paddingCount == 0 || (odd + paddingCount == 4 && odd >= 2) else {
            throw failure("its base 64 has \(digitCount) digits and \(paddingCount) of padding")
        }
        if odd >= 2 { bytes.append(UInt8(truncatingIfNeeded: odd == 2 ? bits >> 4 : bits >> 10)) }
        if odd == 3 { bytes.append(UInt8(truncatingIfNeeded: bits >> 2)) }
        return bytes
    }

    private static func base64Value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 65...90: byte - 65
        case 97...122: byte - 71
        case 48...57: byte + 4
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
