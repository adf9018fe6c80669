#if SVG
/// The part of an XML document before its first element (XML 1.0, 2.8), parsed as far as needed to identify that
/// element.
struct SVGPrologue {
    /// The number of bytes searched for the first element.
    static let maximumByteCount = 1 << 16

    private let bytes: [UInt8]
    private var position = 0

    /// Parses the first bytes of any file.
    init(_ bytes: RawSpan) {
        // The pointer doesn't leave the closure.
        self.bytes = bytes.extracting(first: min(bytes.byteCount, Self.maximumByteCount)).withUnsafeBytes { Array($0) }
    }

    /// Whether the first element is `svg`; nil if the bytes end before it.
    var isSVG: Bool? {
        mutating get {
            // Gzip's signature. No other image format is gzipped, and the renderer checks the content.
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

    /// Skips a declaration, comment, processing instruction or document type; false if there is none, nil if it is
    /// incomplete.
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

    /// Skips the rest of a document type, which may have declarations in brackets.
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

    /// Whether an element named `svg` begins here, with or without a namespace prefix.
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

    /// Skips `expected` and returns whether it was there; nil if the bytes end within it.
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
