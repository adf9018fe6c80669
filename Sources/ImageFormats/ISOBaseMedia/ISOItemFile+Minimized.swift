internal import Raster

extension ISOItemFile {
    /// The file with a `meta` box in place of the `mini` box of `file`; `file` itself if it has none.
    /// - Throws: `corrupt`, `unsupported`, or `truncated` where the file ends within the box.
    static func expanded(_ file: [UInt8]) throws(ImageError) -> [UInt8] {
        var reader = ISOBoxReader(file, 0..<file.count)
        guard let type = reader.box(), type.type == "ftyp", type.contents.count >= 8,
            let minor = file.bigEndian(at: type.contents.lowerBound + 4, byteCount: 4)
        else { return file }
        while let box = reader.box() {
            if box.type == "meta" { return file }
            guard box.type == minimizedType else { continue }
            let image = try ISOMinimizedImage(
                file, box.contents, minorVersion: FourCharacterCode(rawValue: UInt32(minor)))
            return ISOItemFile(image, in: file).bytes
        }
        guard file.bigEndian(at: reader.offset + 4, byteCount: 4) == Int(minimizedType.rawValue) else { return file }
        throw ImageError(
            .truncated, "the file ends within its minimized image box", byteOffset: file.count)
    }

    /// The same of a file that needn't be in memory, of which boxes are read unless it is minimized.
    /// - Throws: `limitExceeded` too, for a minimized file with more bytes than `limits` allow for input.
    static func expanded(_ source: Source, limits: DecodingLimits) throws(ImageError) -> Source {
        var reader = ISOFileBoxes(source)
        while let box = try reader.next(), box.type != "meta" {
            guard box.type == minimizedType else { continue }
            try limits.checkInput(reader.byteCount, format: .heif)
            return Source(try expanded(source.bytes(reader.byteCount, at: 0)))
        }
        return source
    }

    private static let minimizedType: FourCharacterCode = "mini"

    /// The items that `image` stands for, with the numbers that the standard gives them.
    private init(_ image: ISOMinimizedImage, in file: [UInt8]) {
        let isAV1 = image.itemType == "av01"
        self.init(
            brands: Array((isAV1 ? "avif" : "heic").utf8) + [0, 0, 0, 0] + Array("mif1miaf".utf8)
                + (image.gainMap == nil ? [] : Array("tmap".utf8)))
        // Descriptions come first, then what turns the pixels.
        let turns = Self.turns(image.orientation)
        addItem(1, image.itemType, file[image.image.data], properties(of: image.image, image, in: file) + turns)
        if let mask = image.mask {
            let kind = ISOBoxWriter.box(
                "auxC", version: 0, Array((ISOImageItems.alphaType + "\0").utf8))
            addItem(
                2, image.itemType, file[mask.data], properties(of: mask, image, in: file) + [kind] + turns,
                isHidden: true)
            references.append(Reference(type: "auxl", source: 2, targets: [1]))
            if image.isPremultiplied { references.append(Reference(type: "prem", source: 1, targets: [2])) }
        }
        if let gainMap = image.gainMap, !gainMap.map.data.isEmpty {
            let alternate = Self.descriptions(of: gainMap.alternate, in: file)
            addItem(3, "tmap", [0] + file[gainMap.metadata], alternate)
            addItem(
                4, image.itemType, file[gainMap.map.data],
                properties(of: gainMap.map, image, in: file) + turns, isHidden: true)
            references.append(Reference(type: "dimg", source: 3, targets: [1, 4]))
            alternatives.append([3, 1])
        }
        if let exif = image.exif {
            // An item's EXIF has the distance of its TIFF header first.
            addItem(6, "Exif", [0, 0, 0, 0] + file[exif], [], isHidden: true)
            references.append(Reference(type: "cdsc", source: 6, targets: [1]))
        }
        if let xmp = image.xmp {
            addItem(7, "mime", file[xmp], [], contentType: "application/rdf+xml", isHidden: true)
            references.append(Reference(type: "cdsc", source: 7, targets: [1]))
        }
    }

    /// Adds an item with its properties, whole boxes.
    private mutating func addItem(
        _ number: Int, _ type: FourCharacterCode, _ data: ArraySlice<UInt8>, _ boxes: [[UInt8]],
        contentType: String = "", isHidden: Bool = false
    ) {
        let text = contentType.isEmpty ? [] : Array(contentType.utf8) + [0]
        var numbers: [Int] = []
        for box in boxes {
            properties.append(box)
            // Readers must understand how the pixels are coded and turned.
            let type = FourCharacterCode(rawValue: UInt32(box.bigEndian(at: 4, byteCount: 4) ?? 0))
            numbers.append(properties.count | (Self.essentialTypes.contains(type) ? 0x8000 : 0))
        }
        // An entry `infe` of version 2, whose item has no name.
        let entry =
            [2, 0, 0, isHidden ? 1 : 0] + number.bigEndianBytes(2) + [0, 0] + Int(type.rawValue).bigEndianBytes(4) + [0]
            + text
        items[number] = Item(entry: entry, data: Array(data), properties: numbers)
    }

    private static let essentialTypes: Set<FourCharacterCode> = ["av1C", "hvcC", "irot", "imir"]

    private func properties(
        of coded: ISOMinimizedImage.Coded, _ image: ISOMinimizedImage, in file: [UInt8]
    ) -> [[UInt8]] {
        let channels = [UInt8](repeating: UInt8(coded.bits), count: coded.isGray ? 1 : 3)
        let channelBox = ISOBoxWriter.box("pixi", version: 0, [UInt8(channels.count)] + channels)
        return [ISOBoxWriter.box(image.configurationType, Array(file[coded.configuration])), channelBox]
            + Self.descriptions(of: coded, in: file)
    }

    /// Size, colours and light.
    private static func descriptions(of coded: ISOMinimizedImage.Coded, in file: [UInt8]) -> [[UInt8]] {
        let size = coded.size.width.bigEndianBytes(4) + coded.size.height.bigEndianBytes(4)
        let colors = coded.colors
        let codes = [colors.primaries, colors.transfer, colors.matrix].flatMap { $0.bigEndianBytes(2) }
        let nclx = Array("nclx".utf8) + codes + [colors.isFullRange ? 0x80 : 0]
        return [ISOBoxWriter.box("ispe", version: 0, size), ISOBoxWriter.box("colr", nclx)]
            + (coded.profile.map { [ISOBoxWriter.box("colr", Array("prof".utf8) + file[$0])] } ?? [])
            + (coded.lightLevel.map { [ISOBoxWriter.box("clli", $0)] } ?? [])
            + (coded.displayVolume.map { [ISOBoxWriter.box("mdcv", $0)] } ?? [])
    }

    /// The boxes `irot`, with turns to the left by 90°, and `imir`, which make an image upright.
    private static func turns(_ orientation: Orientation) -> [[UInt8]] {
        let (turns, axis): (UInt8, UInt8?) =
            switch orientation.rawValue {
            case 2: (0, 1)
            case 3: (2, nil)
            case 4: (0, 0)
            case 5: (1, 0)
            case 6: (3, nil)
            case 7: (3, 0)
            case 8: (1, nil)
            default: (0, nil)
            }
        return (turns == 0 ? [] : [ISOBoxWriter.box("irot", [turns])])
            + (axis.map { [ISOBoxWriter.box("imir", [$0])] } ?? [])
    }
}
