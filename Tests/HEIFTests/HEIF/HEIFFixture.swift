#if HEIF
import ImageFormats
import Raster

/// HEIF files put together box by box (ISO/IEC 23008-12), of pictures that libheif has coded.
struct HEIFFixture {
    /// An item of the file.
    struct Item {
        var type: String
        var data: [UInt8]
        /// The numbers of its properties, which count from 1.
        var properties: [Int]
        var parts: [Int] = []
        /// References of other types to items.
        var references: [(type: String, items: [Int])] = []
        /// Whether it isn't shown by itself.
        var isHidden = false
        /// How many extents its bytes are in.
        var extentCount = 1
        /// Whether its bytes are among the boxes.
        var isInItemData = false
    }

    var brand = "heic"
    /// The item that the file presents itself by.
    var primary = 1
    var items: [Item] = []
    var properties: [[UInt8]] = []
    /// Items that are alternatives of each other.
    var alternatives: [Int] = []
    /// How many boxes the associations are spread over.
    var associationBoxes = 1

    static func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
        (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * (byteCount - 1 - $0))) }
    }

    static func box(_ type: String, _ contents: [UInt8]) -> [UInt8] {
        number(contents.count + 8, 4) + Array(type.utf8) + contents
    }

    static func fullBox(_ type: String, _ version: UInt8 = 0, _ contents: [UInt8]) -> [UInt8] {
        box(type, [version, 0, 0, 0] + contents)
    }

    static func size(_ size: PixelSize) -> [UInt8] {
        fullBox("ispe", 0, number(size.width, 4) + number(size.height, 4))
    }

    /// The file. Items count from 1.
    var bytes: [UInt8] {
        let type = Self.box("ftyp", Array(brand.utf8) + [0, 0, 0, 0] + Array("mif1".utf8) + Array(brand.utf8))
        let data = items.filter { !$0.isInItemData }.flatMap(\.data)
        let start = type.count + meta(0).count + 8
        return type + meta(start) + Self.box("mdat", data)
    }

    private func meta(_ start: Int) -> [UInt8] {
        var (locations, entries, references) = ([UInt8](), [UInt8](), [UInt8]())
        var (offset, itemData) = (start, [UInt8]())
        for (index, item) in items.enumerated() {
            let name = Self.number(index + 1, 2)
            locations += name + [0, item.isInItemData ? 1 : 0, 0, 0] + Self.number(item.extentCount, 2)
            var place = item.isInItemData ? itemData.count : offset
            for part in 0..<item.extentCount {
                let count = item.data.count / item.extentCount + (part == 0 ? item.data.count % item.extentCount : 0)
                locations += Self.number(place, 4) + Self.number(count, 4)
                place += count
            }
            if item.isInItemData { itemData += item.data } else { offset = place }
            let entry = Self.fullBox("infe", 2, name + [0, 0] + Array(item.type.utf8) + [0])
            // The flag for items that aren't shown is the lowest of three bytes of flags.
            entries += item.isHidden ? Array(entry[..<11]) + [1] + entry[12...] : entry
            let parts: [(type: String, items: [Int])] = item.parts.isEmpty ? [] : [("dimg", item.parts)]
            for (type, targets) in item.references + parts {
                references += Self.box(
                    type, name + Self.number(targets.count, 2) + targets.flatMap { Self.number($0, 2) })
            }
        }
        let handler = Self.fullBox("hdlr", 0, [0, 0, 0, 0] + Array("pict".utf8) + [UInt8](repeating: 0, count: 13))
        return Self.fullBox(
            "meta", 0,
            handler + Self.fullBox("pitm", 0, Self.number(primary, 2))
                + Self.fullBox("iloc", 1, [0x44, 0] + Self.number(items.count, 2) + locations)
                + (itemData.isEmpty ? [] : Self.box("idat", itemData))
                + Self.fullBox("iinf", 0, Self.number(items.count, 2) + entries)
                + Self.box("iprp", Self.box("ipco", properties.flatMap { $0 }) + associations)
                + (references.isEmpty ? [] : Self.fullBox("iref", 0, references)) + groups)
    }

    private var groups: [UInt8] {
        guard !alternatives.isEmpty else { return [] }
        let members = Self.number(alternatives.count, 4) + alternatives.flatMap { Self.number($0, 4) }
        return Self.box("grpl", Self.fullBox("altr", 0, Self.number(1000, 4) + members))
    }

    private var associations: [UInt8] {
        (0..<associationBoxes).flatMap { part in
            let some = items.indices.filter { $0 % associationBoxes == part }
            let entries = some.flatMap { index in
                Self.number(index + 1, 2) + [UInt8(items[index].properties.count)]
                    + items[index].properties.map { number in
                        let type = properties[number - 1][4..<8]
                        // Properties that a reader may not know.
                        let isEssential = !type.elementsEqual("clli".utf8) && !type.elementsEqual("mdcv".utf8)
                        return UInt8(number) | (isEssential ? 0x80 : 0)
                    }
            }
            return Self.fullBox("ipma", 0, Self.number(some.count, 4) + entries)
        }
    }

    // MARK: Coded pictures

    /// A picture as the codec writes it, taken out of its file.
    struct Coded {
        var type = "hvc1"
        var size: PixelSize
        /// Boxes: how it is coded, its channels, and its colours.
        var configuration: [UInt8]
        var channels: [UInt8]?
        var colors: [UInt8]?
        var data: [UInt8]

        /// The boxes of its properties.
        var properties: [[UInt8]] {
            [configuration, HEIFFixture.size(size)] + [channels, colors].compactMap { $0 }
        }

        /// `bitmap` as AV1, without loss.
        init(av1 bitmap: Bitmap) throws {
            var options = EncodingOptions(isLossless: true)
            options.avif.speed = 9
            let file = try ImageDestination(format: .avif, options: options).encode(bitmap)
            (type, size, configuration) = ("av01", bitmap.size, Self.box("av1C", of: file)!)
            channels = Self.box("pixi", of: file)
            colors = Self.box("colr", of: file)
            data = Array(Self.box("mdat", of: file)![8...])
        }

        /// `bitmap`, its sides multiples of 64, which the library would pad to, without loss or at `quality`.
        init(_ bitmap: Bitmap, quality: Double? = nil) throws {
            let options = quality.map { EncodingOptions(quality: $0) } ?? EncodingOptions(isLossless: true)
            let file = try HEIFCodecTests.encode(bitmap, options)
            size = bitmap.size
            configuration = Self.box("hvcC", of: file)!
            colors = Self.box("colr", of: file)
            data = Array(Self.box("mdat", of: file)![8...])
        }

        /// The first box of a type.
        private static func box(_ type: String, of file: [UInt8]) -> [UInt8]? {
            guard let name = file.firstRange(of: Array(type.utf8)) else { return nil }
            let count = file[(name.lowerBound - 4)..<name.lowerBound].reduce(0) { $0 << 8 | Int($1) }
            return Array(file[(name.lowerBound - 4)..<(name.lowerBound - 4 + count)])
        }
    }

    /// A file of these items.
    init(brand: String, _ items: [Item], properties: [[UInt8]]) {
        (self.brand, self.items, self.properties) = (brand, items, properties)
    }

    /// A file of one coded picture.
    init(_ coded: Coded) {
        if coded.type == "av01" { brand = "avif" }
        add(coded)
    }

    /// Adds a coded picture as an item.
    mutating func add(_ coded: Coded, isHidden: Bool = false) {
        let first = properties.count
        properties += coded.properties
        items.append(
            Item(
                type: coded.type, data: coded.data, properties: Array((first + 1)...properties.count),
                isHidden: isHidden))
    }

    /// Adds properties to the first item; colours take the place of others.
    mutating func addProperties(_ boxes: [[UInt8]]) {
        for box in boxes {
            let type = box[4..<8]
            if type.elementsEqual("colr".utf8) {
                items[0].properties.removeAll { properties[$0 - 1][4..<8] == type }
            }
            properties.append(box)
            items[0].properties.append(properties.count)
        }
    }

    /// A grid of tiles, row by row, which are all of one size and configuration.
    init(
        grid tiles: [Coded], columns: Int, size: PixelSize, transforms: [[UInt8]] = []
    ) {
        let first = tiles[0]
        properties = [first.configuration, Self.size(first.size), Self.size(size)]
        var (ofTile, ofGrid) = ([1, 2], [3])
        if let colors = first.colors {
            properties.append(colors)
            ofTile.append(4)
            ofGrid.append(4)
        }
        for transform in transforms {
            properties.append(transform)
            ofGrid.append(properties.count)
        }
        let payload: [UInt8] = [0, 1, UInt8(tiles.count / columns - 1), UInt8(columns - 1)]
        items = [
            Item(
                type: "grid", data: payload + Self.number(size.width, 4) + Self.number(size.height, 4),
                properties: ofGrid, parts: Array(2..<(tiles.count + 2)))
        ]
        items += tiles.map { Item(type: "hvc1", data: $0.data, properties: ofTile, isHidden: true) }
    }

    /// A file of a track alone, each frame of it shown for `ticks` hundredths of a second.
    static func sequence(_ frames: [Coded], ticks: [Int]) -> [UInt8] {
        func track(_ start: Int) -> [UInt8] {
            let size = frames[0].size
            let entry =
                [UInt8](repeating: 0, count: 6) + [0, 1] + [UInt8](repeating: 0, count: 16) + number(size.width, 2)
                + number(size.height, 2) + [UInt8](repeating: 0, count: 50) + frames[0].configuration
                + (frames[0].colors ?? [])
            let description = fullBox("stsd", 0, [0, 0, 0, 1] + box("hvc1", entry))
            let times = fullBox("stts", 0, number(ticks.count, 4) + ticks.flatMap { [0, 0, 0, 1] + number($0, 4) })
            // The first two frames are in a chunk, the others in one each.
            let runs = fullBox("stsc", 0, number(2, 4) + [1, 2, 1, 2, 1, 1].flatMap { number($0, 4) })
            let sizes = fullBox(
                "stsz", 0, number(0, 4) + number(frames.count, 4) + frames.flatMap { number($0.data.count, 4) })
            var offsets: [Int] = []
            var offset = start
            for (index, frame) in frames.enumerated() {
                if index != 1 { offsets.append(offset) }
                offset += frame.data.count
            }
            let chunks = fullBox("stco", 0, number(offsets.count, 4) + offsets.flatMap { number($0, 4) })
            let tables = box("stbl", description + times + runs + sizes + chunks)
            let clock = fullBox(
                "mdhd", 0, number(0, 4) + number(0, 4) + number(100, 4) + number(ticks.reduce(0, +), 4) + [0, 0, 0, 0])
            let handler = fullBox("hdlr", 0, [0, 0, 0, 0] + Array("pict".utf8) + [UInt8](repeating: 0, count: 13))
            return box("moov", box("trak", box("mdia", clock + handler + box("minf", tables))))
        }
        let type = box("ftyp", Array("hevc".utf8) + [0, 0, 0, 0] + Array("msf1hevciso8".utf8))
        let start = type.count + track(0).count + 8
        return type + track(start) + box("mdat", frames.flatMap(\.data))
    }
}
#endif
