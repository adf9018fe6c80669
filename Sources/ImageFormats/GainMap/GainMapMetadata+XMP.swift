public import Raster

/// The form of Adobe's gain map specification 1.0, which Ultra HDR uses too: properties of an XMP packet.
extension GainMapMetadata {
    static let namespace = Array("http://ns.adobe.com/hdr-gain-map/1.0/".utf8)

    /// Reads the properties of the namespace `hdrgm` in an XMP packet; nil if it has none about a map's pixels.
    ///
    /// A property is a number for all channels or a list of three, and has the specification's default where it is
    /// missing: gains of 0, a gamma of 1, offsets of 1/64, headrooms of 0 and 1.
    /// - Throws: `corrupt` for text that isn't a number, lists of other lengths, a missing GainMapMax, and values that
    ///   `GainMapMetadata` excludes; `unsupported` for another version than 1.
    public init?(xmp packet: [UInt8]) throws(ImageError) {
        let properties = XMP(packet).properties(in: Self.namespace)
        guard let version = properties["Version"]?.first else { return nil }
        // The base has the version only; its map has the rest.
        guard properties.count > 1 else { return nil }
        guard version == "1" || version.hasPrefix("1.") else {
            throw ImageError(.unsupported, "the gain map has metadata of version \(version), expected 1.0")
        }
        func numbers(_ name: String, else standard: Double?) throws(ImageError) -> [Double] {
            guard let texts = properties[name] ?? standard.map({ ["\($0)"] }) else {
                throw ImageError(.corrupt, "invalid gain map: hdrgm:\(name) is missing")
            }
            var values: [Double] = []
            for text in texts {
                guard let value = Double(text) else {
                    throw ImageError(.corrupt, "invalid gain map: hdrgm:\(name) isn't a number")
                }
                values.append(value)
            }
            guard values.count == 1 || values.count == 3 else {
                throw ImageError(
                    .corrupt, "invalid gain map: hdrgm:\(name) has \(values.count) values, expected 1 or 3")
            }
            return values.count == 3 ? values : Array(repeating: values[0], count: 3)
        }
        let (minimum, maximum) = (try numbers("GainMapMin", else: 0), try numbers("GainMapMax", else: nil))
        let gamma = try numbers("Gamma", else: 1)
        let (standard, high) = (try numbers("OffsetSDR", else: 1 / 64), try numbers("OffsetHDR", else: 1 / 64))
        let (lower, upper) = (try numbers("HDRCapacityMin", else: 0)[0], try numbers("HDRCapacityMax", else: 1)[0])
        let isBaseHigher = properties["BaseRenditionIsHDR"]?.first?.lowercased() == "true"
        let (base, alternate) = isBaseHigher ? (high, standard) : (standard, high)
        let channels = (0..<3).map {
            Channel(
                minimum: minimum[$0], maximum: maximum[$0], gamma: gamma[$0], baseOffset: base[$0],
                alternateOffset: alternate[$0])
        }
        self.init(
            red: channels[0], green: channels[1], blue: channels[2], baseHeadroom: isBaseHigher ? upper : lower,
            alternateHeadroom: isBaseHigher ? lower : upper)
        try validate()
    }

    /// An XMP packet with the properties of the namespace `hdrgm`. It has no colour space for the gains: readers use
    /// the base's.
    public var xmp: [UInt8] {
        var attributes = ""
        var lists = ""
        func add(_ name: String, _ value: (Channel) -> Double) {
            let values = channels.map(value)
            if values.allSatisfy({ $0 == values[0] }) {
                attributes += " hdrgm:\(name)=\"\(values[0])\""
            } else {
                let items = values.map { "<rdf:li>\($0)</rdf:li>" }.joined()
                lists += "<hdrgm:\(name)><rdf:Seq>\(items)</rdf:Seq></hdrgm:\(name)>"
            }
        }
        add("GainMapMin") { $0.minimum }
        add("GainMapMax") { $0.maximum }
        add("Gamma") { $0.gamma }
        add("OffsetSDR") { isBaseHigher ? $0.alternateOffset : $0.baseOffset }
        add("OffsetHDR") { isBaseHigher ? $0.baseOffset : $0.alternateOffset }
        attributes += " hdrgm:HDRCapacityMin=\"\(min(baseHeadroom, alternateHeadroom))\""
        attributes += " hdrgm:HDRCapacityMax=\"\(max(baseHeadroom, alternateHeadroom))\""
        attributes += " hdrgm:BaseRenditionIsHDR=\"\(isBaseHigher ? "True" : "False")\""
        let namespace = String(decoding: Self.namespace, as: UTF8.self)
        return XMP.packet(
            "<rdf:Description rdf:about=\"\" xmlns:hdrgm=\"\(namespace)\" hdrgm:Version=\"1.0\"\(attributes)>\(lists)"
                + "</rdf:Description>")
    }
}

extension XMP {
    private static let rdfNamespace = Array("http://www.w3.org/1999/02/22-rdf-syntax-ns#".utf8)

    /// A packet with nothing but `description`, an element of RDF.
    static func packet(_ description: String) -> [UInt8] {
        Array(
            ("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\""
                + String(decoding: rdfNamespace, as: UTF8.self) + "\">\(description)</rdf:RDF></x:xmpmeta>").utf8)
    }

    /// `packet` with `description` as the last of its descriptions, or a new packet if it has no RDF element that ends.
    static func packet(_ packet: [UInt8]?, adding description: String) -> [UInt8] {
        guard let packet else { return self.packet(description) }
        var walk = XMPWalk(packet)
        var prefixes = Prefixes(packet, of: [rdfNamespace])
        var (depth, place) = (0, Int?.none)
        var rdfDepth: Int?
        while let event = walk.nextEvent(), place == nil {
            switch event {
            case .start(let tag):
                _ = prefixes.declare(tag)
                let isRDF = prefixes.localName(tag.name).map { packet[$0].elementsEqual("RDF".utf8) } ?? false
                // The description's prefix is the usual one.
                if isRDF, rdfDepth == nil, packet[tag.name].elementsEqual("rdf:RDF".utf8) { rdfDepth = depth }
                if tag.content != nil { depth += 1 }
            case .end(let range):
                depth -= 1
                if depth == rdfDepth { place = range.lowerBound }
            }
        }
        guard let place else { return self.packet(description) }
        return packet[..<place] + Array(description.utf8) + packet[place...]
    }

    /// The values of all properties in `namespace`, by their local names: attributes, text, and the items of lists. The
    /// first of several properties with one name counts.
    func properties(in namespace: [UInt8]) -> [String: [String]] {
        var walk = XMPWalk(bytes)
        var prefixes = Prefixes(bytes, of: [namespace])
        var found: [String: [String]] = [:]
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        /// The property whose element is open: its name, the number of elements within it, and its values.
        var property: (name: String, depth: Int, values: [String])?
        while let event = walk.nextEvent() {
            switch event {
            case .start(let tag):
                _ = prefixes.declare(tag)
                for attribute in tag.attributes {
                    guard let name = prefixes.localName(attribute.name).map(text), found[name] == nil else { continue }
                    found[name] = [text(trimmed(attribute.value))]
                }
                if property == nil, tag.content != nil, let name = prefixes.localName(tag.name).map(text) {
                    property = (name, 0, [])
                } else if tag.content != nil {
                    property?.depth += 1
                }
                guard property != nil, let content = tag.content.map(trimmed), !content.isEmpty else { continue }
                property?.values.append(text(content))
            case .end:
                guard let open = property else { continue }
                if open.depth > 0 {
                    property?.depth -= 1
                } else {
                    if found[open.name] == nil, !open.values.isEmpty { found[open.name] = open.values }
                    property = nil
                }
            }
        }
        return found
    }
}
