internal import Raster

/// The items in a file's `meta` box (ISO/IEC 23008-12), as far as needed to reject files that a library can't handle.
///
/// Invalid data is omitted here and left for the library to report.
struct ISOImageItems {
    /// The file's primary item.
    private(set) var primary: Int?
    private(set) var types: [Int: FourCharacterCode] = [:]
    /// The declared sizes of images, tiles and masks.
    private(set) var sizes: [PixelSize] = []
    /// The declared HEVC configurations.
    private(set) var configurations: [HEVCConfiguration] = []
    /// Whether any colour code points aren't in the standard (ITU-T H.273, tables 2 to 4).
    private(set) var hasUnknownColorCodes = false
    /// The items that are tiles of a grid, and those with a mask or another auxiliary image.
    private(set) var tiles: Set<Int> = []
    var itemsWithAuxiliaries: Set<Int> { Set(auxiliaries.keys) }
    /// The auxiliary images of each item, and the items that describe it, such as XMP.
    private(set) var auxiliaries: [Int: [Int]] = [:]
    private(set) var descriptions: [Int: [Int]] = [:]
    /// The items whose colours are multiplied by their mask.
    private(set) var premultiplied: Set<Int> = []
    /// The groups of items that are alternatives of each other.
    private(set) var alternatives: [Set<Int>] = []
    private var alternativeCount = 0
    /// The number of alternatives kept. A file with a gain map has two.
    private static let maximumAlternativeCount = 1 << 12
    /// The items that each derived item is composed of.
    private var parts: [Int: [Int]] = [:]
    /// The index in `configurations` for each item that has one.
    private var configurationOfItem: [Int: Int] = [:]
    /// The items' shared properties, and the property numbers of each item, starting at 1.
    private var properties: [ISOBoxReader.Box] = []
    private var propertiesOfItem: [Int: [UInt16]] = [:]
    private var associationCount = 0
    /// The maximum number of associations kept. An image of 200 megapixels has about four thousand.
    private static let maximumAssociationCount = 1 << 20
    private(set) var locations = ISOItemLocations()
    /// The contents of the `idat` box, which holds small items.
    private var itemData = 0..<0

    private static let primaries: Set = [1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 22]
    private static let transfers: Set = [1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]
    private static let matrices: Set = [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]

    /// Reads the items of `file`; nil if it has no `meta` box.
    /// - Parameter fileByteCount: The number of bytes of the whole file if `file` is a part with the `meta` box.
    init?(_ file: [UInt8], fileByteCount: Int? = nil) {
        guard let meta = ISOBoxReader(file, 0..<file.count).first("meta") else { return nil }
        var reader = ISOBoxReader(file, meta.contents)
        guard reader.versionAndFlags() != nil else { return nil }
        var references: ISOBoxReader?
        while let box = reader.box() {
            let contents = reader.contents(of: box)
            switch box.type {
            case "pitm": readPrimary(contents)
            case "iinf": readItems(contents)
            case "iprp": readProperties(contents, file)
            case "iloc": locations.read(contents, fileByteCount: fileByteCount ?? file.count)
            case "iref": references = contents
            case "idat": itemData = box.contents
            case "grpl": readGroups(contents)
            default: break
            }
        }
        // Requires the item types.
        if let references { readReferences(references) }
    }

    /// Whether an HEVC item, or a grid of them, is luma only.
    func isGray(_ identifier: Int) -> Bool {
        if let configuration = configuration(of: identifier) { return configuration.isGray }
        guard types[identifier] == "grid", let tiles = parts[identifier], !tiles.isEmpty else { return false }
        return tiles.allSatisfy { configuration(of: $0)?.isGray ?? false }
    }

    /// The type of an item.
    func type(of identifier: Int) -> FourCharacterCode? { types[identifier] }

    /// The items that a derived item is composed of, in order.
    func parts(of identifier: Int) -> [Int] { parts[identifier] ?? [] }

    /// The properties of an item, in the order in which they apply.
    func properties(of identifier: Int) -> [ISOBoxReader.Box] {
        numberedProperties(of: identifier).map(\.box)
    }

    /// The properties of an item, in the order in which they apply, with their numbers, of which bit 15 marks an essential
    /// one.
    func numberedProperties(of identifier: Int) -> [(number: Int, box: ISOBoxReader.Box)] {
        (propertiesOfItem[identifier] ?? []).compactMap { number in
            let index = Int(number & 0x7FFF) - 1
            return properties.indices.contains(index) ? (Int(number), properties[index]) : nil
        }
    }

    /// The place of an item's bytes: in the file, or in the part of it with the `meta` box; nil if they are missing or in
    /// another file.
    func place(of identifier: Int) -> ISOItemLocations.Place? {
        locations.place(of: identifier, itemData: itemData)
    }

    /// The bytes of an item in `file`, which must be the whole file, passed to the initialiser; nil if they are missing, in
    /// another file, or in several extents.
    func data(of identifier: Int, in file: [UInt8]) -> ArraySlice<UInt8>? {
        guard let place = place(of: identifier), place.ranges.count == 1 else { return nil }
        return file[place.ranges[0]]
    }

    /// A file with only this item of `file`, separate from the items that contain it; nil if its bytes aren't
    /// contiguous.
    func still(_ identifier: Int, of file: [UInt8]) -> [UInt8]? {
        guard let type = types[identifier], let data = data(of: identifier, in: file) else { return nil }
        let properties = properties(of: identifier).map { ISOBoxWriter.box($0.type, Array(file[$0.contents])) }
        return ISOStill.file(type, properties: properties, data: Array(data))
    }

    /// The configuration of an HEVC item.
    func configuration(of identifier: Int) -> HEVCConfiguration? {
        configurationOfItem[identifier].map { configurations[$0] }
    }

    /// The total number of pixels decoded for all derived items, counting a part each time it is used: an item used a
    /// thousand times takes few bytes but much time.
    ///
    /// Stops counting beyond `limit`. Nil if items are derived from each other in a cycle, or too deeply: an identity
    /// of an overlay of grids has three levels. Tone-mapped items aren't decoded.
    func derivedPixelCount(limit: Int) -> Int? {
        var count = 0
        for source in parts.keys where types[source] != "tmap" {
            guard add(source, depth: 0, to: &count, limit: limit) else { return nil }
        }
        return count
    }

    private func add(_ item: Int, depth: Int, to count: inout Int, limit: Int) -> Bool {
        guard let parts = parts[item] else {
            // Parts without a known size take time too.
            let sizes = configuration(of: item)?.sizes ?? []
            count += sizes.reduce(1024) { max($0, min($1.pixelCount, 1 << 40)) }
            return true
        }
        guard depth < 4 else { return false }
        for part in parts {
            guard count <= limit else { return true }
            guard add(part, depth: depth + 1, to: &count, limit: limit) else { return false }
        }
        return true
    }

    private mutating func readPrimary(_ contents: ISOBoxReader) {
        var reader = contents
        guard let (version, _) = reader.versionAndFlags() else { return }
        primary = reader.number(version == 0 ? 2 : 4)
    }

    private mutating func readItems(_ contents: ISOBoxReader) {
        var reader = contents
        guard let (version, _) = reader.versionAndFlags(), reader.number(version == 0 ? 2 : 4) != nil else { return }
        while let box = reader.box() {
            var entry = reader.contents(of: box)
            guard box.type == "infe", let (version, _) = entry.versionAndFlags(), version >= 2,
                let identifier = entry.number(version == 2 ? 2 : 4), entry.number(2) != nil, let type = entry.code()
            else { continue }
            types[identifier] = type
        }
    }

    private mutating func readProperties(_ contents: ISOBoxReader, _ file: [UInt8]) {
        /// The index of the configuration for each property number, starting at 1.
        var configurationOfProperty: [Int: Int] = [:]
        var reader = contents
        while let box = reader.box() {
            let inner = reader.contents(of: box)
            switch box.type {
            case "ipco":
                var container = inner
                var number = 0
                while let property = container.box() {
                    number += 1
                    properties.append(property)
                    var fields = container.contents(of: property)
                    if property.type == "ispe" {
                        if let size = fields.size() { sizes.append(size) }
                    } else if property.type == "colr", fields.code() == "nclx" {
                        let codes = (fields.number(2) ?? 0, fields.number(2) ?? 0, fields.number(2) ?? 0)
                        let isKnown =
                            Self.primaries.contains(codes.0) && Self.transfers.contains(codes.1)
                            && Self.matrices.contains(codes.2)
                        if !isKnown { hasUnknownColorCodes = true }
                    } else if property.type == "hvcC",
                        let configuration = HEVCConfiguration(file[property.contents])
                    {
                        configurationOfProperty[number] = configurations.count
                        configurations.append(configuration)
                    }
                }
            case "ipma": readAssociations(inner, configurationOfProperty)
            default: break
            }
        }
    }

    private mutating func readAssociations(_ contents: ISOBoxReader, _ configurationOfProperty: [Int: Int]) {
        _ = contents.forEachAssociation { identifier, property, _ in
            let number = property & 0x7FFF
            associationCount += 1
            if associationCount <= Self.maximumAssociationCount {
                propertiesOfItem[identifier, default: []].append(UInt16(property))
            }
            if let index = configurationOfProperty[number] { configurationOfItem[identifier] = index }
        }
    }

    private mutating func readReferences(_ contents: ISOBoxReader) {
        var reader = contents
        guard let (version, _) = reader.versionAndFlags() else { return }
        let size = version == 0 ? 2 : 4
        while let box = reader.box() {
            guard ["dimg", "auxl", "cdsc", "prem"].contains(box.type) else { continue }
            var entry = reader.contents(of: box)
            guard let source = entry.number(size), let count = entry.number(2) else { continue }
            var targets: [Int] = []
            for _ in 0..<count {
                guard let target = entry.number(size) else { break }
                targets.append(target)
            }
            switch box.type {
            case "auxl": for target in targets { auxiliaries[target, default: []].append(source) }
            case "prem": premultiplied.insert(source)
            case "cdsc": for target in targets { descriptions[target, default: []].append(source) }
            default:
                parts[source, default: []] += targets
                if types[source] == "grid" { tiles.formUnion(targets) }
            }
        }
    }

    private mutating func readGroups(_ contents: ISOBoxReader) {
        var reader = contents
        while let box = reader.box() {
            var entry = reader.contents(of: box)
            guard alternativeCount < Self.maximumAlternativeCount else { return }
            guard box.type == "altr", entry.versionAndFlags() != nil, entry.skip(4), let count = entry.number(4) else {
                continue
            }
            var group: Set<Int> = []
            for _ in 0..<count {
                guard alternativeCount < Self.maximumAlternativeCount, let item = entry.number(4) else { break }
                group.insert(item)
                alternativeCount += 1
            }
            // An empty group counts too.
            alternativeCount += 1
            alternatives.append(group)
        }
    }
}
