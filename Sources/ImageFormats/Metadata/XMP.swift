internal import Raster

/// An XMP packet, read as far as one property takes: tags are walked in order, and names are told by their namespace,
/// whatever its prefix (XMP part 1, 7; Namespaces in XML 1.0).
///
/// No XML parser: entities aren't resolved, and a document type, by which they would be defined, ends the walk. What is
/// malformed ends it too. Time is proportional to the packet.
struct XMP {
    private(set) var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// How the picture has to be turned, as `tiff:Orientation` has it; nil when the packet doesn't say.
    var orientation: Orientation? { orientations.first.flatMap { Orientation(rawValue: bytes[$0] &- 0x30) } }

    /// `packet`, with `orientation` wherever it says one.
    static func packet(_ packet: [UInt8], orientation: Orientation) -> [UInt8] {
        var xmp = XMP(packet)
        for position in xmp.orientations { xmp.bytes[position] = 0x30 + orientation.rawValue }
        return xmp.bytes
    }

    /// Where the digits of orientations stand. What has more characters, or none, is no orientation.
    private var orientations: [Int] {
        values(of: Self.orientationName, in: Self.tiffNamespace).filter { $0.count == 1 }.map(\.lowerBound)
    }

    private static let orientationName = Array("Orientation".utf8)
    private static let tiffNamespace = Array("http://ns.adobe.com/tiff/1.0/".utf8)

    /// Where the values of the property `name` stand, without white space around them: attributes and elements.
    private func values(of name: [UInt8], in namespace: [UInt8]) -> [Range<Int>] {
        var walk = XMPWalk(bytes)
        var prefixes = Prefixes(bytes, of: [namespace])
        var found: [Range<Int>] = []
        while let event = walk.nextEvent() {
            guard case .start(let tag) = event else { continue }
            _ = prefixes.declare(tag)
            func isWanted(_ range: Range<Int>) -> Bool {
                prefixes.localName(range).map { bytes[$0].elementsEqual(name) } ?? false
            }
            found += tag.attributes.filter { isWanted($0.name) }.map { trimmed($0.value) }
            if isWanted(tag.name), let content = tag.content { found.append(trimmed(content)) }
        }
        return found
    }

    /// The prefixes that stand for some namespaces.
    ///
    /// Declarations hold for what they enclose; taken to hold from there on, they are right for every packet that doesn't
    /// give one prefix two meanings.
    private struct Prefixes {
        private let bytes: [UInt8]
        private let namespaces: [[UInt8]]
        private var known: [[UInt8]: Bool] = [:]

        init(_ bytes: [UInt8], of namespaces: [[UInt8]]) { (self.bytes, self.namespaces) = (bytes, namespaces) }

        /// Takes a tag's declarations, and says where those of the namespaces stand.
        mutating func declare(_ tag: XMPWalk.Tag) -> [Range<Int>] {
            var declarations: [Range<Int>] = []
            for attribute in tag.attributes where bytes[attribute.name].starts(with: "xmlns:".utf8) {
                let isOne = namespaces.contains { bytes[attribute.value].elementsEqual($0) }
                known[Array(bytes[attribute.name].dropFirst(6))] = isOne
                if isOne { declarations.append(attribute.range) }
            }
            return declarations
        }

        /// What stands behind the prefix of a name in one of the namespaces; nil for other names.
        func localName(_ name: Range<Int>) -> Range<Int>? {
            guard let colon = bytes[name].firstIndex(of: 0x3A) else { return nil }
            return known[Array(bytes[name.lowerBound..<colon])] == true ? (colon + 1)..<name.upperBound : nil
        }
    }

    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        guard let first = range.first(where: { !XMPWalk.isSpace(bytes[$0]) }),
            let last = range.last(where: { !XMPWalk.isSpace(bytes[$0]) })
        else { return range.lowerBound..<range.lowerBound }
        return first..<(last + 1)
    }
}

extension XMP {
    /// `packet` without what it says of gain maps and of the pictures that stand behind the first in its file: a picture
    /// that is written anew has none, and a program that believed it would brighten the wrong pixels.
    ///
    /// Elements and attributes of the namespaces below go, with all they enclose. A packet that isn't well formed stays as
    /// it is from where it stops being so.
    static func removingGainMaps(from packet: [UInt8]) -> [UInt8] {
        guard Self.namespaces.contains(where: { packet.contains($0) }) else { return packet }
        var cuts = Cuts(packet)
        var walk = XMPWalk(packet)
        while let event = walk.nextEvent() { cuts.add(event) }
        return cuts.remaining
    }

    /// ISO 21496-1's predecessor by Adobe, Google's list of pictures in a file, and Apple's gain map.
    private static let namespaces = [
        "http://ns.adobe.com/hdr-gain-map/1.0/", "http://ns.google.com/photos/1.0/container/",
        "http://ns.google.com/photos/1.0/container/item/", "http://ns.apple.com/HDRGainMap/1.0/",
    ].map { Array($0.utf8) }

    /// The parts to be cut out, as tags go by.
    private struct Cuts {
        let bytes: [UInt8]
        var ranges: [Range<Int>] = []
        var prefixes: Prefixes
        /// How many elements are open.
        var depth = 0
        /// The element being left out: where it began, and how many were open around it.
        var removed: (start: Int, depth: Int)?

        init(_ bytes: [UInt8]) { (self.bytes, prefixes) = (bytes, Prefixes(bytes, of: XMP.namespaces)) }

        mutating func add(_ event: XMPWalk.Event) {
            switch event {
            case .end(let range):
                depth -= 1
                if let element = removed, depth == element.depth {
                    ranges.append(element.start..<range.upperBound)
                    removed = nil
                }
            case .start(let tag):
                defer { if tag.content != nil { depth += 1 } }
                guard removed == nil else { return }
                let declarations = prefixes.declare(tag)
                guard prefixes.localName(tag.name) == nil else {
                    if tag.content == nil { ranges.append(tag.range) } else { removed = (tag.range.lowerBound, depth) }
                    return
                }
                let attributes = tag.attributes.filter { prefixes.localName($0.name) != nil }.map(\.range)
                ranges += (declarations + attributes).sorted { $0.lowerBound < $1.lowerBound }
            }
        }

        /// What is left.
        var remaining: [UInt8] {
            var result: [UInt8] = []
            var position = 0
            for range in ranges {
                result += bytes[position..<range.lowerBound]
                position = range.upperBound
            }
            return result + bytes[position...]
        }
    }
}
