import ImageFormats
import Raster

extension FuzzTarget {
    /// A gain map's metadata in ISO 21496-1's binary form: what is read has sound numbers, and is written alike.
    static let gainMapISO = FuzzTarget(
        name: "gain-map-iso", seedExtensions: [], seeds: { GainMapSeeds.all.map(\.iso21496) }
    ) { input in
        guard let metadata = try? GainMapMetadata(iso21496: input) else { return }
        GainMapSeeds.check(metadata)
        let again = try? GainMapMetadata(iso21496: metadata.iso21496)
        precondition(again != nil)
    }

    /// The same as properties of an XMP packet.
    static let gainMapXMP = FuzzTarget(
        name: "gain-map-xmp", seedExtensions: [], seeds: { GainMapSeeds.all.map(\.xmp) }
    ) { input in
        guard let metadata = try? GainMapMetadata(xmp: input) else { return }
        GainMapSeeds.check(metadata)
        precondition((try? GainMapMetadata(xmp: metadata.xmp)) == metadata)
    }

    /// A JPEG with a gain map: places in the file, both forms of metadata, and the map's pixels.
    static let gainMapFile = FuzzTarget(
        name: "gain-map-file", seedExtensions: ["jpg", "jpeg"], seeds: { GainMapSeeds.files(.jpeg) },
        run: GainMapSeeds.render)

    /// A HEIF or AVIF file with a gain map as an item, which may be the primary one: boxes, references, groups, metadata, and
    /// the map's pixels.
    static let gainMapItems = FuzzTarget(
        name: "gain-map-items", seedExtensions: ["heic", "avif"],
        seeds: {
            let files = GainMapSeeds.files(.heic) + GainMapSeeds.files(.avif)
            let toneMapped = files.compactMap(GainMapSeeds.withToneMappedPrimary)
            return files + toneMapped + toneMapped.compactMap(GainMapSeeds.withTurn)
        }, run: GainMapSeeds.render)

    /// A JPEG XL file with a gain map in a box, which may be compressed by Brotli.
    static let gainMapBox = FuzzTarget(
        name: "gain-map-box", seedExtensions: ["jxl"],
        seeds: {
            let files = GainMapSeeds.files(.jpegXL)
            return files + files.compactMap(GainMapSeeds.withCompressedBox)
        }, run: GainMapSeeds.render)

    /// The XMP packet of Apple's auxiliary image, and behind its last zero byte the base's EXIF, with the maker note.
    static let gainMapApple = FuzzTarget(
        name: "gain-map-apple", seedExtensions: [], seeds: { GainMapSeeds.apple }
    ) { input in
        let parts = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false).map { Array($0) }
        guard let file = GainMapSeeds.appleFile(parts[0], exif: parts.count > 1 ? parts[1] : []),
            let header = try? ImageSource.header(of: file),
            let map = try? ImageSource.gainMap(in: Source(file), header: header)
        else { return }
        GainMapSeeds.check(map.metadata)
        precondition(map.metadata.alternateHeadroom > 0)
        precondition((try? map.image.bitmap()) != nil)
    }
}

private enum GainMapSeeds {
    static let all = [
        GainMapMetadata(.init(minimum: 0, maximum: 2.5), alternateHeadroom: 2.5),
        GainMapMetadata(
            red: .init(minimum: -0.3, maximum: 1.7, gamma: 1.1), green: .init(minimum: 0, maximum: 2.3, gamma: 0.9),
            blue: .init(minimum: 0.1, maximum: 1.9), baseHeadroom: 3, alternateHeadroom: 0),
    ]

    /// Files with a grey map, one of colours, and a base in high dynamic range where the format has that; none where the
    /// format can't be written.
    static func files(_ format: ImageFormat) -> [[UInt8]] {
        [PixelFormat.gray8, .rgba8].flatMap { pixels -> [[UInt8]] in
            let info = BitmapInfo(size: PixelSize(width: 64, height: 64), format: pixels)
            guard let bitmap = try? Fixtures.gradient(info) else { return [] }
            let image = Image(bitmap).withGainMap(GainMap(Image(bitmap), all[0]))
            let high = try? image.rendered(for: .high(headroom: .infinity)).withGainMap(GainMap(Image(bitmap), all[1]))
            return [image, high].compactMap { try? $0?.data(as: format) }
        }
    }

    /// A file of items with the number of its tone-mapped item as that of the primary one.
    static func withToneMappedPrimary(_ file: [UInt8]) -> [UInt8]? {
        func places(of type: String) -> [Int] {
            file.indices.filter { file[$0...].starts(with: type.utf8) }
        }
        // Before an item's type come the box's, version and flags, the number and two bytes; before the primary item's
        // number, version and flags.
        let entry = places(of: "tmap").first { $0 >= 12 && file[($0 - 12)...].starts(with: "infe".utf8) }
        guard let entry, let primary = places(of: "pitm").first else { return nil }
        var changed = file
        changed.replaceSubrange((primary + 8)..<(primary + 10), with: file[(entry - 4)..<(entry - 2)])
        return changed
    }

    /// A file of items whose last colours, the tone-mapped item's, are a turn by 180 degrees instead.
    static func withTurn(_ file: [UInt8]) -> [UInt8]? {
        guard let type = file.indices.last(where: { file[$0...].starts(with: "colrnclx".utf8) }) else { return nil }
        // Of the property's first byte, "n", the last two bits count.
        return file[..<type] + Array("irot".utf8) + file[(type + 4)...]
    }

    /// A JPEG XL file whose last box, the map's, is one of Brotli's blocks that aren't compressed.
    static func withCompressedBox(_ file: [UInt8]) -> [UInt8]? {
        guard let type = file.indices.last(where: { file[$0...].starts(with: "jhgm".utf8) }) else { return nil }
        let contents = file[(type + 4)...]
        guard type >= 4, 1...(1 << 16) ~= contents.count else { return nil }
        // The window's size, not the last block, four digits of the length less 1, not compressed; an empty last block.
        let head = (contents.count - 1) << 4 | 1 << 20
        let stream = (0..<3).map { UInt8(truncatingIfNeeded: head >> (8 * $0)) } + contents + [3]
        let count = stream.count + 12
        return file[..<(type - 4)] + (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
            + Array("brobjhgm".utf8) + stream
    }

    /// Reads the file's map, applies it in both directions, and writes both again.
    static func render(_ input: [UInt8]) {
        // A base in high dynamic range has its map beside the pixels as stored.
        guard let header = try? ImageSource.header(of: input), header.storedSize.pixelCount < 1 << 20,
            let map = try? ImageSource.gainMap(
                in: Source(input), header: header, options: DecodingOptions(color: .asStored))
        else { return }
        check(map.metadata)
        guard map.image.size.pixelCount < 1 << 20, let image = try? Image(data: input) else { return }
        // A base in high dynamic range is decoded to its alternate rendition.
        _ = try? image.bitmap()
        for range in [DynamicRange.standard, .high(headroom: 4)] { _ = try? image.rendered(for: range).bitmap() }
        if image.gainMap != nil, let file = try? image.data(as: .jpeg) {
            precondition((try? Image(data: file))?.gainMap != nil)
        }
    }

    /// A packet with a headroom; one without, before EXIF with an iPhone's maker note.
    static let apple: [[UInt8]] = {
        func packet(_ attributes: String) -> [UInt8] {
            let head = "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">"
            let rdf = "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"><rdf:Description"
            let properties =
                " xmlns:HDRGainMap=\"http://ns.apple.com/HDRGainMap/1.0/\" HDRGainMap:HDRGainMapVersion=\"65536\""
            return Array("\(head)\(rdf)\(properties)\(attributes)/></rdf:RDF></x:xmpmeta>".utf8)
        }
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
        }
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Int) -> [UInt8] {
            number(tag, 2) + number(type, 2) + number(count, 4) + number(value, 4)
        }
        // Two signed fractions after a directory of two entries at byte 14.
        let note =
            Array("Apple iOS\0\0\u{1}MM".utf8) + number(2, 2) + entry(33, 10, 1, 44) + entry(48, 10, 1, 52)
            + number(0, 4)
            + number(8, 4) + number(10, 4) + number(1, 4) + number(100, 4)
        // The directory at byte 8 refers to the one of EXIF at 26, which refers to the note at 44.
        let exif =
            Array("MM".utf8) + number(42, 2) + number(8, 4) + number(1, 2) + entry(0x8769, 4, 1, 26) + number(0, 4)
            + number(1, 2) + entry(0x927C, 7, note.count, 44) + number(0, 4) + note
        return [packet(" HDRGainMap:HDRGainMapHeadroom=\"3.5\""), packet("") + [0] + exif]
    }()

    /// A JPEG with an index of two images, the second with `packet`, and the first with the block `exif`.
    static func appleFile(_ packet: [UInt8], exif: [UInt8]) -> [UInt8]? {
        guard packet.count < 60_000, exif.count < 60_000 else { return nil }
        func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
            [0xFF, marker, UInt8((payload.count + 2) >> 8), UInt8((payload.count + 2) & 255)] + payload
        }
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
        let xmp = segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + packet)
        let map = Array(Fixtures.jpeg[..<2]) + xmp + Fixtures.jpeg[2...]
        let head = Array(Fixtures.jpeg[..<2]) + segment(0xE1, Array("Exif\0\0".utf8) + exif)
        func index(_ offset: Int) -> [UInt8] {
            let entries: [UInt8] =
                [0xB0, 1, 0, 4, 0, 0, 0, 1, 0, 0, 0, 2] + [0xB0, 2, 0, 7, 0, 0, 0, 32, 0, 0, 0, 38] + number(0)
            let images = number(0x030000) + number(1) + number(0) + number(0)
            return segment(
                0xE2,
                Array("MPF\0MM".utf8) + [0, 42] + number(8) + [0, 2] + entries + images + number(0) + number(map.count)
                    + number(offset) + number(0))
        }
        let base = head.count + index(0).count + Fixtures.jpeg.count - 2
        // Offsets count from the index's byte order.
        return head + index(base - head.count - 8) + Fixtures.jpeg[2...] + map
    }

    static func check(_ metadata: GainMapMetadata) {
        for channel in [metadata.red, metadata.green, metadata.blue] {
            precondition(channel.gamma > 0 && channel.minimum <= channel.maximum)
            precondition((channel.minimum + channel.maximum + channel.baseOffset + channel.alternateOffset).isFinite)
        }
        precondition(abs(metadata.weight(forHeadroom: 2)) <= 1)
    }
}
