internal import Raster

/// An XMP packet whose properties can be read and set, one level deep: texts, lists, and texts in several languages.
///
/// Everything else in the packet stays as it is, byte for byte. Time is proportional to the packet's length for each call.
struct XMPDocument {
    private(set) var bytes: [UInt8]

    /// A property of a description.
    struct Property {
        /// The namespace's address and the name.
        let namespace: String
        let name: String
        var values: [String]
        /// The range to cut to remove the property: an attribute with the white space before it, or an element.
        let range: Range<Int>
    }

    /// The properties, in their order.
    private(set) var properties: [Property] = []
    /// Where to insert a property: before the end tag of the last description that has one.
    private var insertion: Int?
    /// The end tag of the whole, before which a description can be inserted.
    private var end: Int?

    /// Reads a packet.
    /// - Throws: `corrupt` if it isn't RDF with matching tags.
    init(_ bytes: [UInt8]) throws(ImageError) {
        self.bytes = bytes
        try read()
    }

    /// A packet without properties.
    static let empty: [UInt8] = Array(
        """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/">
         <rdf:RDF xmlns:rdf="\(XMPNamespace.syntax.address)">
         </rdf:RDF>
        </x:xmpmeta>
        <?xpacket end="w"?>
        """.utf8)

    /// The values of a property; empty if there is none.
    func values(_ namespace: XMPNamespace, _ name: String) -> [String] {
        properties.first { $0.namespace == namespace.address && $0.name == name }?.values ?? []
    }

    /// Replaces a property; an empty list of values removes it.
    /// - Throws: `corrupt` for a packet without RDF.
    mutating func set(
        _ namespace: XMPNamespace, _ name: String, to values: [String], isList: Bool, hasLanguages: Bool
    ) throws(ImageError) {
        let old = properties.filter { $0.namespace == namespace.address && $0.name == name }
        for property in old.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            bytes.removeSubrange(property.range)
        }
        if !old.isEmpty { try read() }
        guard !values.isEmpty else { return }
        let tag = "\(namespace.prefix):\(name)"
        let items = values.map { Self.escaped($0) }
        let content: String
        if hasLanguages {
            content = "<rdf:Alt><rdf:li xml:lang=\"x-default\">\(items[0])</rdf:li></rdf:Alt>"
        } else if isList {
            // Authors have an order, other lists don't.
            let kind = name == "creator" ? "Seq" : "Bag"
            content = "<rdf:\(kind)>" + items.map { "<rdf:li>\($0)</rdf:li>" }.joined() + "</rdf:\(kind)>"
        } else {
            content = items[0]
        }
        let rdf = "xmlns:rdf=\"\(XMPNamespace.syntax.address)\""
        var text = "<\(tag) xmlns:\(namespace.prefix)=\"\(namespace.address)\""
        text += (isList || hasLanguages ? " \(rdf)" : "") + ">\(content)</\(tag)>\n"
        if insertion == nil { text = "<rdf:Description \(rdf) rdf:about=\"\">\n\(text)</rdf:Description>\n" }
        guard let place = insertion ?? end else {
            throw ImageError(.corrupt, "the XMP packet has no RDF in which a property could be set")
        }
        bytes.insert(contentsOf: text.utf8, at: place)
        try read()
    }

    /// Texts of XML in place of characters with a meaning in it.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            // XML has no other control characters.
            case _ where scalar.value < 0x20 && scalar != "\n" && scalar != "\t": break
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    /// The text that stands for `bytes` in XML; unknown entities stay as they are.
    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.contains(0x26) else { return text }
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            guard let end = rest[start...].prefix(12).firstIndex(of: ";") else {
                result += "&"
                rest = rest[rest.index(after: start)...]
                continue
            }
            let name = rest[rest.index(after: start)..<end]
            let known = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"][String(name)]
            let number =
                name.hasPrefix("#x")
                ? UInt32(name.dropFirst(2), radix: 16) : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
            result += known ?? number.flatMap { Unicode.Scalar($0) }.map { String($0) } ?? "&\(name);"
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }
}

// MARK: - Reading

extension XMPDocument {
    /// An open element.
    private struct Level {
        let name: (namespace: String, local: String)
        let start: Int
        var prefixes: [String: String]
        var text: Range<Int>?
    }

    private static let maximumDepth = 100

    private mutating func read() throws(ImageError) {
        properties = []
        (insertion, end) = (nil, nil)
        var walk = XMPWalk(bytes)
        var levels: [Level] = []
        var values: [String] = []
        let syntax = XMPNamespace.syntax.address
        func isDescription(_ level: Level?) -> Bool {
            level.map { $0.name.namespace == syntax && $0.name.local == "Description" } ?? false
        }
        func depthOfDescription() -> Int? {
            // x:xmpmeta/rdf:RDF/rdf:Description, the first of which may be missing.
            levels.firstIndex { isDescription($0) }
        }
        var lastEnd = 0
        while let event = walk.nextEvent() {
            switch event {
            case .start(let tag):
                guard levels.count < Self.maximumDepth else {
                    throw ImageError(.corrupt, "the XMP packet has elements over \(Self.maximumDepth) levels deep")
                }
                var prefixes = levels.last?.prefixes ?? [:]
                for attribute in tag.attributes where bytes[attribute.name].starts(with: "xmlns:".utf8) {
                    let prefix = String(decoding: bytes[attribute.name].dropFirst(6), as: UTF8.self)
                    prefixes[prefix] = Self.unescaped(bytes[attribute.value])
                }
                func resolved(_ range: Range<Int>) -> (namespace: String, local: String) {
                    let parts = String(decoding: bytes[range], as: UTF8.self).split(separator: ":", maxSplits: 1)
                    guard parts.count == 2 else { return ("", String(parts.first ?? "")) }
                    return (prefixes[String(parts[0])] ?? "", String(parts[1]))
                }
                let level = Level(
                    name: resolved(tag.name), start: tag.range.lowerBound, prefixes: prefixes, text: tag.content)
                if isDescription(level), depthOfDescription() == nil {
                    for attribute in tag.attributes {
                        let name = resolved(attribute.name)
                        guard !name.namespace.isEmpty, name.namespace != syntax else { continue }
                        properties.append(
                            Property(
                                namespace: name.namespace, name: name.local,
                                values: [Self.unescaped(bytes[attribute.value])], range: attribute.range))
                    }
                }
                if let depth = depthOfDescription(), levels.count == depth + 1 { values = [] }
                // An empty element has no content, and no end tag.
                guard tag.content != nil else {
                    if let depth = depthOfDescription(), levels.count == depth + 1 {
                        properties.append(
                            Property(
                                namespace: level.name.namespace, name: level.name.local, values: [], range: tag.range))
                    }
                    continue
                }
                levels.append(level)
            case .end(let range):
                guard let level = levels.popLast() else {
                    throw ImageError(.corrupt, "the XMP packet has an end tag too many", byteOffset: range.lowerBound)
                }
                let depth = depthOfDescription()
                if level.name == (syntax, "li"), let text = level.text, depth.map({ levels.count == $0 + 3 }) ?? false {
                    values.append(Self.unescaped(bytes[text]))
                }
                if let depth, levels.count == depth + 1 {
                    let text = level.text.map { Self.unescaped(bytes[$0]) } ?? ""
                    properties.append(
                        Property(
                            namespace: level.name.namespace, name: level.name.local,
                            values: values.isEmpty ? [text] : values, range: level.start..<range.upperBound))
                }
                if isDescription(level), depth == nil { insertion = range.lowerBound }
                if level.name == (syntax, "RDF") { end = range.lowerBound }
                lastEnd = range.upperBound
            }
        }
        guard levels.isEmpty, end != nil else {
            throw ImageError(.corrupt, "the XMP packet isn't well formed", byteOffset: lastEnd)
        }
    }
}
