package import Essentials
internal import ImageFormats

/// A data URL, which contains its bytes (RFC 2397).
package struct DataURL {
    /// The media type with its parameters; `text/plain;charset=US-ASCII` by default.
    package let mediaType: String
    /// The decoded bytes.
    package let data: Data

    /// Parses `data:[type][;base64],content`. A fragment, from `#` on, is ignored.
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
        data = isBase64 ? try Self.base64Decoded(content) : Data(content)
    }

    private static func failure(_ reason: String) -> DataLoadingError {
        .invalidDataURL("the data URL can't be read: \(reason)")
    }

    /// Decodes Base64 (RFC 4648, section 4), with white space anywhere and optional padding, as browsers do.
    private static func base64Decoded(_ text: [UInt8]) throws(DataLoadingError) -> Data {
        var digits = text.filter { ![0x20, 0x09, 0x0A, 0x0C, 0x0D].contains($0) }
        if !digits.contains(UInt8(ascii: "=")) {
            digits += repeatElement(UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
        }
        // Foundation accepts four padding characters as empty.
        guard digits.count(where: { $0 == UInt8(ascii: "=") }) <= 2, let data = Data(base64Encoded: Data(digits)) else {
            throw failure("its content isn't base 64")
        }
        return data
    }
}
