/// Reads an XMP packet's tags one by one.
struct XMPWalk {
    /// A start tag, as ranges of its parts.
    struct Tag {
        /// The whole tag, from `<` to `>`.
        var range: Range<Int>
        var name: Range<Int>
        /// For each attribute its name, its value without quotes, and its whole range with the white space before it.
        var attributes: [(name: Range<Int>, value: Range<Int>, range: Range<Int>)]
        /// The text up to the next tag; nil for an empty element.
        var content: Range<Int>?
    }

    /// A tag found in the packet.
    enum Event {
        case start(Tag)
        /// An end tag, from `<` to `>`.
        case end(Range<Int>)
    }

    private let bytes: [UInt8]
    private var position = 0

    /// The largest number of attributes in a tag.
    private static let maximumAttributeCount = 1000

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next tag; nil at the end and after a syntax error.
    mutating func nextEvent() -> Event? {
        while let start = bytes[position...].firstIndex(of: 0x3C) {
            position = start + 1
            guard position < bytes.count else { return nil }
            switch bytes[position] {
            case 0x3F:  // <?…?>
                guard skip(past: "?>") else { return nil }
            case 0x21:  // <!--…--> or <![CDATA[…]]>, but no <!DOCTYPE…>
                if bytes[position...].starts(with: "!--".utf8) {
                    guard skip(past: "-->") else { return nil }
                } else {
                    guard bytes[position...].starts(with: "![CDATA[".utf8), skip(past: "]]>") else { return nil }
                }
            case 0x2F:  // </…>
                guard skip(past: ">") else { return nil }
                return .end(start..<position)
            default:
                return readTag(from: start).map { .start($0) }
            }
        }
        return nil
    }

    private mutating func skip(past end: String) -> Bool {
        let end = Array(end.utf8)
        var index = position
        while index + end.count <= bytes.count {
            if bytes[index] == end[0], bytes[index..<(index + end.count)].elementsEqual(end) {
                position = index + end.count
                return true
            }
            index += 1
        }
        return false
    }

    private mutating func readTag(from start: Int) -> Tag? {
        var tag = Tag(range: start..<start, name: readName(), attributes: [], content: nil)
        guard !tag.name.isEmpty else { return nil }
        while true {
            let before = position
            skipSpace()
            guard position < bytes.count else { return nil }
            switch bytes[position] {
            case 0x3E:
                position += 1
                tag.range = start..<position
                let end = bytes[position...].firstIndex(of: 0x3C) ?? bytes.count
                tag.content = position..<end
                return tag
            case 0x2F:
                guard position + 1 < bytes.count, bytes[position + 1] == 0x3E else { return nil }
                position += 2
                tag.range = start..<position
                return tag
            default:
                guard tag.attributes.count < Self.maximumAttributeCount, let attribute = readAttribute() else {
                    return nil
                }
                tag.attributes.append((attribute.name, attribute.value, before..<position))
            }
        }
    }

    private mutating func readAttribute() -> (name: Range<Int>, value: Range<Int>)? {
        let name = readName()
        skipSpace()
        guard !name.isEmpty, position < bytes.count, bytes[position] == 0x3D else { return nil }
        position += 1
        skipSpace()
        guard position < bytes.count, [0x22, 0x27].contains(bytes[position]),
            let end = bytes[(position + 1)...].firstIndex(of: bytes[position])
        else { return nil }
        defer { position = end + 1 }
        return (name, (position + 1)..<end)
    }

    private mutating func readName() -> Range<Int> {
        let start = position
        while position < bytes.count, !Self.isSpace(bytes[position]),
            ![0x2F, 0x3C, 0x3D, 0x3E].contains(bytes[position])
        {
            position += 1
        }
        return start..<position
    }

    private mutating func skipSpace() {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
    }

    static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
