internal import Raster

/// An XMP packet, parsed as far as a few properties need: tags are read in order, and names are matched by their
/// namespace, whatever its prefix (XMP part 1, 7; Namespaces in XML 1.0).
///
/// Not a full XML parser: entities aren't resolved. A document type declaration, which could define some, ends parsing,
/// as malformed XML does. Time is proportional to the packet's length.
struct XMP {
    private(set) var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The orientation in `tiff:Orientation`; nil if it is missing or invalid.
    var orientation: Orientation? { orientations.first.flatMap { Orientation(rawValue: bytes[$0] &- 0x30) } }

    /// `packet` with every orientation in it set to `orientation`.
    static func packet(_ packet: [UInt8], orientation: Orientation) -> [UInt8] {
        var xmp = XMP(packet)
        for position in xmp.orientations { xmp.bytes[position] = 0x30 + orientation.rawValue }
        return xmp.bytes
    }

    /// The offsets of the orientations' digits. Values that aren't one character long are ignored.
    private var orientations: [Int] {
        values(of: Self.orientationName, in: Self.tiffNamespace).filter { $0.count == 1 }.map(\.lowerBound)
    }

    private static let orientationName = Array("Orientation".utf8)
    private static let tiffNamespace = Array("http://ns.adobe.com/tiff/1.0/".utf8)

    /// The ranges of the values of the property `name`, in attributes and elements, without surrounding white space.
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

    /// The prefixes declared for some namespaces.
    ///
    /// A declaration applies to its element; here it applies from there on, which is correct for every packet that
    /// doesn't use one prefix for two namespaces.
    struct Prefixes {
        private let bytes: [UInt8]
        private let namespaces: [[UInt8]]
        private var known: [[UInt8]: Bool] = [:]

        init(_ bytes: [UInt8], of namespaces: [[UInt8]]) { (self.bytes, self.namespaces) = (bytes, namespaces) }

        /// Adds a tag's declarations, and returns the ranges of those for the namespaces.
        mutating func declare(_ tag: XMPWalk.Tag) -> [Range<Int>] {
            var declarations: [Range<Int>] = []
            for attribute in tag.attributes where bytes[attribute.name].starts(with: "xmlns:".utf8) {
                let isOne = namespaces.contains { bytes[attribute.value].elementsEqual($0) }
                known[Array(bytes[attribute.name].dropFirst(6))] = isOne
                if isOne { declarations.append(attribute.range) }
            }
            return declarations
        }

        /// The part of a name after its prefix, if that stands for one of the namespaces; nil for other names.
        func localName(_ name: Range<Int>) -> Range<Int>? {
            guard let colon = bytes[name].firstIndex(of: 0x3A) else { return nil }
            return known[Array(bytes[name.lowerBound..<colon])] == true ? (colon + 1)..<name.upperBound : nil
        }
    }

    func trimmed(_ range: Range<Int>) -> Range<Int> {
        guard let first = range.first(where: { !XMPWalk.isSpace(bytes[$0]) }),
            let last = range.last(where: { !XMPWalk.isSpace(bytes[$0]) })
        else { return range.lowerBound..<range.lowerBound }
        return first..<(last + 1)
    }
}

extension XMP {
    /// Removes the properties about gain maps, further images and extended XMP from `packet`. A gain map that is written
    /// again gets new ones; without it, a program that applied the old ones would brighten the wrong pixels.
    ///
    /// Removes elements and attributes in the namespaces below, with their content. Leaves the rest of a packet
    /// unchanged after a syntax error.
    static func removingReferences(from packet: [UInt8]) -> [UInt8] {
        guard Self.namespaces.contains(where: { packet.contains($0) }) else { return packet }
        var cuts = Cuts(packet)
        var walk = XMPWalk(packet)
        while let event = walk.nextEvent() { cuts.add(event) }
        return cuts.remaining
    }

    /// Adobe's precursor to ISO 21496-1, Google's container of several images, Apple's gain map, and the namespace of
    /// HasExtendedXMP, its only property (XMP part 3, 1.1.3.1).
    private static let namespaces = [
        "http://ns.adobe.com/hdr-gain-map/1.0/", "http://ns.google.com/photos/1.0/container/",
        "http://ns.google.com/photos/1.0/container/item/", "http://ns.apple.com/HDRGainMap/1.0/",
        "http://ns.adobe.com/xmp/note/",
    ].map { Array($0.utf8) }

    /// The ranges to remove, collected tag by tag.
    private struct Cuts {
        let bytes: [UInt8]
        var ranges: [Range<Int>] = []
        var prefixes: Prefixes
        /// The number of open elements.
        var depth = 0
        /// The element being removed: its offset, and the number of open elements around it.
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

        /// The packet without the removed ranges.
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
