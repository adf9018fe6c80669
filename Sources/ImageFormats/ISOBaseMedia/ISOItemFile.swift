internal import Raster

/// A HEIF or AVIF file of stills, taken apart to add items and properties that its library can't write, or to show one item
/// alone.
struct ISOItemFile {
    /// An item: its entry in `iinf`, its bytes, and its properties as numbers from 1 on, of which bit 15 marks an
    /// essential one.
    struct Item {
        /// The contents of its `infe` box, of version 2: version, flags and identifier come first.
        var entry: [UInt8]
        var data: [UInt8]
        var properties: [Int]
    }

    struct Reference {
        let type: FourCharacterCode
        let source: Int
        let targets: [Int]
    }

    private var brands: [UInt8]
    private let handler: [UInt8]
    private let primary: Int
    var items: [Int: Item] = [:]
    /// Whole boxes.
    var properties: [[UInt8]] = []
    var references: [Reference] = []
    var alternatives: [[Int]] = []

    /// A file without items, whose primary item will be the first.
    init(brands: [UInt8]) {
        self.brands = brands
        handler = Self.pictureHandler
        primary = 1
    }

    /// The contents of `hdlr` for images.
    private static let pictureHandler =
        [UInt8](repeating: 0, count: 8) + Array("pict".utf8) + [UInt8](repeating: 0, count: 13)

    /// Takes `file` apart, which this process's encoders have written: identifiers of 16 bits, and one extent for each
    /// item. Nil if it has another structure.
    init?(_ file: [UInt8]) {
        let top = ISOBoxReader(file, 0..<file.count)
        guard let items = ISOImageItems(file), let primary = items.primary, let type = top.first("ftyp"),
            let meta = top.first("meta")
        else { return nil }
        brands = Array(file[type.contents])
        self.primary = primary
        var reader = top.contents(of: meta)
        guard reader.versionAndFlags() != nil, let handler = reader.first("hdlr"), let list = reader.first("iinf")
        else {
            return nil
        }
        self.handler = Array(file[handler.contents])
        var entries = reader.contents(of: list)
        guard let (version, _) = entries.versionAndFlags(), entries.skip(version == 0 ? 2 : 4) else { return nil }
        while let entry = entries.box() {
            var fields = entries.contents(of: entry)
            guard fields.versionAndFlags()?.version == 2, let identifier = fields.number(2),
                let data = items.data(of: identifier, in: file)
            else { return nil }
            self.items[identifier] = Item(entry: Array(file[entry.contents]), data: Array(data), properties: [])
        }
        guard let contents = reader.first("iprp"), readProperties(reader.contents(of: contents), file) else {
            return nil
        }
        if let contents = reader.first("iref"), !readReferences(reader.contents(of: contents)) { return nil }
        guard self.items[primary] != nil else { return nil }
    }

    /// A file with nothing but `item` of another one, an image, and its tiles.
    /// - Throws: `unsupported` if the item or a tile is of another kind, has no bytes, or has too many properties;
    ///   `limitExceeded` if they have more bytes than `limits` allow for input; errors of reading.
    init(_ item: Int, of reader: ISOItemReader, limits: DecodingLimits) throws(ImageError) {
        self.init(brands: reader.fileType)
        let tiles = reader.items.type(of: item) == "grid" ? reader.items.parts(of: item) : []
        guard tiles.count <= 0xFFFF, !tiles.contains(item) else {
            throw ImageError(.unsupported, "item \(item) of the file has \(tiles.count) tiles, or is one of them")
        }
        var numbers: [Int: Int] = [:]
        for original in [item] + tiles where numbers[original] == nil { numbers[original] = numbers.count + 1 }
        // Lengths of four bytes.
        var rest = min(limits.maximumInputByteCount, 1 << 31)
        var numberOfProperty: [Int: Int] = [:]
        for (original, number) in numbers.sorted(by: { $0.value < $1.value }) {
            let stored = reader.items.numberedProperties(of: original)
            guard let type = reader.items.type(of: original), type != "grid" || original == item,
                ISOImageItems.imageTypes.contains(type), number <= 0xFFFF, stored.count <= 0xFF,
                let data = try reader.data(of: original, limit: rest)
            else {
                throw ImageError(.unsupported, "item \(original) of the file isn't an image that can be read alone")
            }
            rest -= data.bytes.count
            for (property, box) in stored where numberOfProperty[property & 0x7FFF] == nil {
                properties.append(ISOBoxWriter.box(box.type, Array(reader.boxes[box.contents])))
                numberOfProperty[property & 0x7FFF] = properties.count
            }
            let entry: [UInt8] =
                [2, 0, 0, number == 1 ? 0 : 1] + number.bigEndianBytes(2) + [0, 0]
                + Int(type.rawValue).bigEndianBytes(4) + [0]
            items[number] = Item(
                entry: entry, data: data.bytes,
                properties: stored.map { $0.number & 0x8000 | numberOfProperty[$0.number & 0x7FFF]! })
        }
        guard !tiles.isEmpty else { return }
        references = [Reference(type: "dimg", source: 1, targets: tiles.map { numbers[$0]! })]
    }

    private mutating func readProperties(_ contents: ISOBoxReader, _ file: [UInt8]) -> Bool {
        guard let list = contents.first("ipco"), let associations = contents.first("ipma") else { return false }
        var reader = contents.contents(of: list)
        while let box = reader.box() { properties.append(ISOBoxWriter.box(box.type, Array(file[box.contents]))) }
        let count = properties.count
        var isValid = true
        let isWhole = contents.contents(of: associations).forEachAssociation { item, property, _ in
            isValid = isValid && 1...count ~= property & 0x7FFF
            items[item]?.properties.append(property)
        }
        return isWhole && isValid
    }

    private mutating func readReferences(_ contents: ISOBoxReader) -> Bool {
        var reader = contents
        guard reader.versionAndFlags()?.version == 0 else { return false }
        while let box = reader.box() {
            var fields = reader.contents(of: box)
            guard let source = fields.number(2), let count = fields.number(2) else { return false }
            var targets: [Int] = []
            for _ in 0..<count {
                guard let target = fields.number(2) else { return false }
                targets.append(target)
            }
            references.append(Reference(type: box.type, source: source, targets: targets))
        }
        return true
    }

    /// The first `colr` box of the primary image; nil if it has none.
    var primaryColors: [UInt8]? {
        items[primary]?.properties.lazy.map { properties[($0 & 0x7FFF) - 1] }
            .first { $0[4..<8].elementsEqual("colr".utf8) }
    }

    /// Adds a property, a whole box, to the primary image.
    mutating func addProperty(_ box: [UInt8]) {
        properties.append(box)
        items[primary]?.properties.append(properties.count)
    }

    /// Adds the items of `map`, hidden, and an alternative of the primary image that applies the map's primary image by
    /// `metadata`: an item `tmap`.
    /// - Parameters:
    ///   - color: The `colr` box of the alternate rendition.
    ///   - size: The image's upright size.
    mutating func addGainMap(_ map: ISOItemFile, _ metadata: GainMapMetadata, color: [UInt8], size: PixelSize) {
        guard let last = items.keys.max(), let lastOfMap = map.items.keys.max() else { return }
        let first = properties.count
        // libheif writes a small image as a grid of one tile, a separate item.
        for (identifier, item) in map.items {
            var item = item
            item.entry.replaceSubrange(3..<6, with: [item.entry[3] | 1] + (last + identifier).bigEndianBytes(2))
            item.properties = item.properties.map { $0 + first }
            items[last + identifier] = item
        }
        properties += map.properties.map { Self.withoutColors($0) }
        references += map.references.map {
            Reference(type: $0.type, source: last + $0.source, targets: $0.targets.map { last + $0 })
        }

        let derived = last + lastOfMap + 1
        let extent = size.width.bigEndianBytes(4) + size.height.bigEndianBytes(4)
        properties += [ISOBoxWriter.box("ispe", version: 0, extent), color]
        items[derived] = Item(
            entry: [2, 0, 0, 0] + derived.bigEndianBytes(2) + [0, 0] + Array("tmap\0".utf8),
            data: [0] + metadata.iso21496, properties: [properties.count - 1, properties.count])
        references.append(Reference(type: "dimg", source: derived, targets: [primary, last + map.primary]))
        alternatives.append([derived, primary])
        brands += Array("tmap".utf8)
    }

    /// A property of a map, whose values aren't colours: the primaries and the transfer function are unspecified.
    private static func withoutColors(_ property: [UInt8]) -> [UInt8] {
        guard property.count >= 16, property[4..<12].elementsEqual("colrnclx".utf8) else { return property }
        return property[..<12] + [0, 2, 0, 2] + property[16...]
    }

    /// The file with all items, whose bytes are in one `mdat` box.
    var bytes: [UInt8] {
        let fileType = ISOBoxWriter.box("ftyp", brands)
        let order = items.sorted { $0.key < $1.key }
        let start = fileType.count + meta(order, from: 0).count + 8
        return fileType + meta(order, from: start) + ISOBoxWriter.box("mdat", order.flatMap(\.value.data))
    }

    private func meta(_ order: [(key: Int, value: Item)], from start: Int) -> [UInt8] {
        // Offsets and lengths of four bytes.
        var locations: [UInt8] = [0x44, 0] + order.count.bigEndianBytes(2)
        var entries = order.count.bigEndianBytes(2)
        let isWide = properties.count > 0x7F
        var associations = order.count.bigEndianBytes(4)
        var offset = start
        for (identifier, item) in order {
            locations += identifier.bigEndianBytes(2) + [0, 0, 0, 1] + offset.bigEndianBytes(4)
            locations += item.data.count.bigEndianBytes(4)
            offset += item.data.count
            entries += ISOBoxWriter.box("infe", item.entry)
            associations += identifier.bigEndianBytes(2) + [UInt8(item.properties.count)]
            for property in item.properties {
                associations +=
                    isWide ? property.bigEndianBytes(2) : [UInt8(property >> 8 & 0x80 | property & 0x7F)]
            }
        }
        let links = references.flatMap { reference in
            ISOBoxWriter.box(
                reference.type,
                reference.source.bigEndianBytes(2) + reference.targets.count.bigEndianBytes(2)
                    + reference.targets.flatMap { $0.bigEndianBytes(2) })
        }
        // A group's number differs from those of the items.
        let groups = alternatives.enumerated().flatMap { index, group in
            ISOBoxWriter.box(
                "altr", version: 0,
                ((order.last?.key ?? 0) + 1 + index).bigEndianBytes(4) + group.count.bigEndianBytes(4)
                    + group.flatMap { $0.bigEndianBytes(4) })
        }
        var contents = ISOBoxWriter.box("hdlr", handler)
        contents += ISOBoxWriter.box("pitm", version: 0, primary.bigEndianBytes(2))
        contents += ISOBoxWriter.box("iloc", version: 0, locations)
        contents += ISOBoxWriter.box("iinf", version: 0, entries)
        if !links.isEmpty { contents += ISOBoxWriter.box("iref", version: 0, links) }
        contents += ISOBoxWriter.box(
            "iprp",
            ISOBoxWriter.box("ipco", properties.flatMap { $0 })
                + ISOBoxWriter.box("ipma", version: 0, flags: isWide ? 1 : 0, associations))
        if !groups.isEmpty { contents += ISOBoxWriter.box("grpl", groups) }
        return ISOBoxWriter.box("meta", version: 0, contents)
    }
}
