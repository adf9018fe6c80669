#if SVG
/// What stands before the first element of a document (XML 1.0, 2.8), read as far as it takes to know that element.
struct SVGPrologue {
    /// Beyond this the first element isn't looked for.
    static let maximumByteCount = 1 << 16

    private let bytes: [UInt8]
    private var position = 0

    /// The first bytes of a document, or of anything else.
    init(_ bytes: RawSpan) {
        // Used within the call only.
        self.bytes = bytes.extracting(first: min(bytes.byteCount, Self.maximumByteCount)).withUnsafeBytes { Array($0) }
    }

    /// Whether the first element is an svg; nil when the bytes end before it.
    var isSVG: Bool? {
        mutating get {
            // Gzip's first bytes. No other picture is gzipped; what is inside, the renderer will see.
            if bytes.starts(with: [0x1F, 0x8B, 0x08]) { return true }
            if skip([0xEF, 0xBB, 0xBF]) == nil { return nil }
            while true {
                while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
                switch skipMiscellaneous() {
                case true: continue
                case false: return startsElement()
                case nil: return nil
                }
            }
        }
    }

    /// Passes over a declaration, a comment, an instruction or a document type; false when there is none.
    private mutating func skipMiscellaneous() -> Bool? {
        for (start, end) in [("<?", "?>"), ("<!--", "-->")] {
            switch skip(Array(start.utf8)) {
            case true: return skip(past: Array(end.utf8))
            case false: continue
            case nil: return nil
            }
        }
        switch skip(Array("<!DOCTYPE".utf8)) {
        case true: return skipDocumentType()
        case let other: return other
        }
    }

    /// Passes over the rest of a document type, which may hold declarations in brackets.
    private mutating func skipDocumentType() -> Bool? {
        var depth = 0
        while position < bytes.count {
            defer { position += 1 }
            switch bytes[position] {
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ">") where depth <= 0: return true
            default: break
            }
        }
        return nil
    }

    /// Whether an element called svg begins here, with or without a prefix for its namespace.
    private func startsElement() -> Bool? {
        guard position < bytes.count else { return nil }
        guard bytes[position] == UInt8(ascii: "<") else { return false }
        let name = bytes[(position + 1)...].prefix { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"):
                true
            default: false
            }
        }
        guard name.endIndex < bytes.count else { return nil }
        return name.split(separator: UInt8(ascii: ":"), maxSplits: 1).last.map { $0.elementsEqual("svg".utf8) } ?? false
    }

    /// Passes over `expected` where it stands here; nil when the bytes end within it.
    private mutating func skip(_ expected: [UInt8]) -> Bool? {
        let here = bytes[position...].prefix(expected.count)
        guard expected.starts(with: here) else { return false }
        guard here.count == expected.count else { return nil }
        position += expected.count
        return true
    }

    private mutating func skip(past end: [UInt8]) -> Bool? {
        while position + end.count <= bytes.count {
            if bytes[position..<(position + end.count)].elementsEqual(end) {
                position += end.count
                return true
            }
            position += 1
        }
        return nil
    }
}
#endif
