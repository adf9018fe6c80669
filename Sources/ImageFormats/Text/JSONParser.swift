/// Parses JSON (RFC 8259).
///
/// Errors include the line number. A duplicate name in an object is an error: which value applies would be ambiguous.
package struct JSONParser {
    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Parses `bytes` as a single value.
    package static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        var parser = JSONParser(bytes)
        let value = try parser.value()
        parser.skipSpace()
        guard parser.position == bytes.count else { throw parser.failure("nothing can follow the end of the value") }
        return value
    }

    private func failure(_ message: String, at position: Int? = nil) -> JSONError {
        let line = bytes[..<min(position ?? self.position, bytes.count)].count { $0 == UInt8(ascii: "\n") } + 1
        return JSONError("line \(line): \(message)")
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    /// Skips white space and, if `character` comes next, consumes it.
    private mutating func takes(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        skipSpace()
        switch next {
        case nil: throw failure("the text ends where a value should be")
        case UInt8(ascii: "{"): return try nested { (parser) throws(JSONError) in try parser.object() }
        case UInt8(ascii: "["): return try nested { (parser) throws(JSONError) in try parser.array() }
        case UInt8(ascii: "\""): return .string(try string())
        default: break
        }
        let start = position
        while let byte = next, !Self.ends(byte) { position += 1 }
        let word = String(decoding: bytes[start..<position], as: UTF8.self)
        switch word {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "null": return .null
        default: break
        }
        guard let first = bytes[start..<position].first(where: { $0 != UInt8(ascii: "-") }),
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first), word.utf8.allSatisfy(Self.isNumeric),
            let number = Double(word), number.isFinite
        else { throw failure("\"\(word)\" is no value", at: start) }
        return Int(word).map { .integer($0) } ?? .number(number)
    }

    private static func ends(_ byte: UInt8) -> Bool { byte <= 0x20 || ",:]}[{\"".utf8.contains(byte) }

    private static func isNumeric(_ byte: UInt8) -> Bool { "0123456789+-.eE".utf8.contains(byte) }

    private mutating func nested(
        _ parse: (inout JSONParser) throws(JSONError) -> JSONValue
    ) throws(JSONError) -> JSONValue {
        depth += 1
        guard depth <= 64 else { throw failure("values are nested too deeply") }
        position += 1
        let value = try parse(&self)
        depth -= 1
        return value
    }

    private mutating func array() throws(JSONError) -> JSONValue {
        var values: [JSONValue] = []
        guard !takes("]") else { return .array(values) }
        repeat { values.append(try value()) } while takes(",")
        guard takes("]") else { throw failure("a comma or ] is missing") }
        return .array(values)
    }

    private mutating func object() throws(JSONError) -> JSONValue {
        var members: [(String, JSONValue)] = []
        guard !takes("}") else { return .object(members) }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw failure("a name in quotation marks is missing") }
            let name = try string()
            guard !members.contains(where: { $0.0 == name }) else { throw failure("\"\(name)\" is there twice") }
            guard takes(":") else { throw failure("a colon is missing after \"\(name)\"") }
            members.append((name, try value()))
        } while takes(",")
        guard takes("}") else { throw failure("a comma or } is missing") }
        return .object(members)
    }

    private mutating func string() throws(JSONError) -> String {
        let start = position
        position += 1
        var text: [UInt8] = []
        while true {
            guard let byte = next, byte >= 0x20 else { throw failure("a string has no end", at: start) }
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw failure("a string is not UTF-8", at: start)
                }
                return string
            case UInt8(ascii: "\\"): text.append(contentsOf: String(try escape()).utf8)
            default: text.append(byte)
            }
        }
    }

    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        defer { position += 1 }
        switch next {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: throw failure("a string has an escape that JSON doesn't know")
        }
        let unit = try hexadecimal()
        if UTF16.isLeadSurrogate(unit), position + 2 < bytes.count, bytes[position + 1] == UInt8(ascii: "\\"),
            bytes[position + 2] == UInt8(ascii: "u")
        {
            position += 2
            let trail = try hexadecimal()
            if UTF16.isTrailSurrogate(trail) { return UTF16.decode(.init([unit, trail])) }
        } else if let scalar = Unicode.Scalar(unit) {
            return scalar
        }
        throw failure("a string has half of a surrogate pair")
    }

    /// Parses four digits after the `u` at the current position, and moves to the last of them.
    private mutating func hexadecimal() throws(JSONError) -> UInt16 {
        let digits = bytes[(position + 1)...].prefix(4)
        let text = String(decoding: digits, as: UTF8.self)
        guard digits.count == 4, text.allSatisfy(\.isHexDigit), let unit = UInt16(text, radix: 16) else {
            throw failure("four hexadecimal digits are missing after \\u")
        }
        position += 4
        return unit
    }
}
