internal import ImageFormats

/// An element of a small XML document, as stores send them: names without prefixes, text, and inner elements. Attributes are
/// skipped.
package struct XMLElement: Equatable, Sendable {
    /// The name without its prefix.
    package var name: String
    /// The text between the tags, without that of inner elements.
    package var text = ""
    /// The inner elements in order.
    package var children: [XMLElement] = []

    /// The text of the first inner element with this name.
    package subscript(name: String) -> String? { children.first { $0.name == name }?.text }

    /// The inner elements with this name.
    package func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

    /// The deepest nesting of elements that is read.
    private static let depthLimit = 16

    /// Parses a document in UTF-8. Nil if it isn't well-formed, nests more than 16 elements, or has a document type, which
    /// could define entities.
    package init?(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        var open: [XMLElement] = []
        var root: XMLElement?
        var position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0

        /// The position after `mark`, searched from `start` on; nil if there is none.
        func end(of mark: StaticString, from start: Int) -> Int? {
            let mark = Array("\(mark)".utf8)
            var index = start
            while index + mark.count <= bytes.count {
                if bytes[index] == mark[0], bytes[index..<(index + mark.count)].elementsEqual(mark) {
                    return index + mark.count
                }
                index += 1
            }
            return nil
        }
        func has(_ mark: StaticString) -> Bool { bytes[position...].starts(with: "\(mark)".utf8) }
        func close() -> Bool {
            guard let last = open.popLast() else { return false }
            if open.isEmpty {
                guard root == nil else { return false }
                root = last
            } else {
                open[open.count - 1].children.append(last)
            }
            return true
        }

        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "<") else {
                let next = bytes[position...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
                guard let text = Self.text(bytes[position..<next]) else { return nil }
                if open.isEmpty {
                    guard text.allSatisfy(\.isWhitespace) else { return nil }
                } else {
                    open[open.count - 1].text += text
                }
                position = next
                continue
            }
            if has("<?") {
                guard let next = end(of: "?>", from: position) else { return nil }
                position = next
            } else if has("<!--") {
                guard let next = end(of: "-->", from: position + 4) else { return nil }
                position = next
            } else if has("<![CDATA[") {
                guard !open.isEmpty, let next = end(of: "]]>", from: position) else { return nil }
                open[open.count - 1].text += String(decoding: bytes[(position + 9)..<(next - 3)], as: UTF8.self)
                position = next
            } else if has("</") {
                guard let next = end(of: ">", from: position),
                    let name = Self.name(bytes[(position + 2)..<(next - 1)]), open.last?.name == name, close()
                else { return nil }
                position = next
            } else {
                // A greater-than sign in an attribute's value is written as an entity by every store.
                guard let next = end(of: ">", from: position), open.count < Self.depthLimit else { return nil }
                let isEmpty = bytes[next - 2] == UInt8(ascii: "/") && next - 2 > position
                let inner = bytes[(position + 1)..<(isEmpty ? next - 2 : next - 1)]
                guard let name = Self.name(inner.prefix { !Self.isSpace($0) }) else { return nil }
                open.append(XMLElement(name: name))
                if isEmpty, !close() { return nil }
                position = next
            }
        }
        guard open.isEmpty, let root else { return nil }
        self = root
    }

    private init(name: String) { self.name = name }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    /// The name in `bytes` without its prefix and trailing spaces; nil if it isn't a name.
    private static func name(_ bytes: ArraySlice<UInt8>) -> String? {
        var bytes = bytes
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        let name = bytes.lastIndex(of: UInt8(ascii: ":")).map { bytes[($0 + 1)...] } ?? bytes
        guard let first = name.first, first.isLetterOrDigit || first == UInt8(ascii: "_"),
            name.allSatisfy({ $0.isLetterOrDigit || "_-.".utf8.contains($0) })
        else { return nil }
        return String(decoding: name, as: UTF8.self)
    }

    /// Text with its entities replaced; nil for an unknown one.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
        var text = ""
        var rest = bytes
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            text += String(decoding: rest[..<start], as: UTF8.self)
            guard let end = rest[start...].prefix(12).firstIndex(of: UInt8(ascii: ";")),
                let character = character(String(decoding: rest[(start + 1)..<end], as: UTF8.self))
            else { return nil }
            text.unicodeScalars.append(character)
            rest = rest[(end + 1)...]
        }
        return text + String(decoding: rest, as: UTF8.self)
    }

    private static func character(_ entity: String) -> Unicode.Scalar? {
        switch entity {
        case "amp": "&"
        case "lt": "<"
        case "gt": ">"
        case "quot": "\""
        case "apos": "'"
        default:
            if entity.hasPrefix("#x") {
                UInt32(entity.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
            } else if entity.hasPrefix("#") {
                UInt32(entity.dropFirst()).flatMap(Unicode.Scalar.init)
            } else {
                nil
            }
        }
    }
}

extension XMLElement {
    /// Text with the characters replaced that XML has other uses for.
    package static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}
