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
        // Declarations hold for what they enclose; taken to hold from there on, they are right for every packet that
        // doesn't give one prefix two meanings.
        var prefixes: [[UInt8]: Bool] = [:]
        var found: [Range<Int>] = []
        while let tag = walk.next() {
            for attribute in tag.attributes {
                let name = bytes[attribute.name]
                if name.starts(with: Array("xmlns:".utf8)) {
                    prefixes[Array(name.dropFirst(6))] = bytes[attribute.value].elementsEqual(namespace)
                }
            }
            func isWanted(_ range: Range<Int>) -> Bool {
                guard let colon = bytes[range].firstIndex(of: 0x3A) else { return false }
                return bytes[(colon + 1)..<range.upperBound].elementsEqual(name)
                    && prefixes[Array(bytes[range.lowerBound..<colon])] == true
            }
            found += tag.attributes.filter { isWanted($0.name) }.map { trimmed($0.value) }
            if isWanted(tag.name), let content = tag.content { found.append(trimmed(content)) }
        }
        return found
    }

    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        guard let first = range.first(where: { !XMPWalk.isSpace(bytes[$0]) }),
            let last = range.last(where: { !XMPWalk.isSpace(bytes[$0]) })
        else { return range.lowerBound..<range.lowerBound }
        return first..<(last + 1)
    }
}
