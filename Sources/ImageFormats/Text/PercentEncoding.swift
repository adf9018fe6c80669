/// Percent-encodes and decodes bytes (RFC 3986, section 2.1).
package enum PercentEncoding {
    /// Percent-encodes all bytes except unreserved characters and the ASCII characters in `others`.
    package static func encoded(_ text: some StringProtocol, keeping others: String = "") -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case _ where byte.isLetterOrDigit, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            case _ where others.utf8.contains(byte): result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += encoded(byte)
            }
        }
        return result
    }

    /// Returns `%` and two hexadecimal digits.
    package static func encoded(_ byte: UInt8) -> String {
        (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }

    /// Decodes `text`; nil if a `%` isn't followed by two hexadecimal digits.
    package static func decoded(_ text: Substring.UTF8View) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// Decodes `text`; nil if the encoding is invalid or the bytes aren't UTF-8.
    package static func decoded(_ text: String) -> String? {
        decoded(text[...].utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }
}

extension UInt8 {
    /// Whether the byte is an ASCII letter or digit.
    package var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
