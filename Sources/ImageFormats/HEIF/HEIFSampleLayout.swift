#if HEIF
internal import Raster

/// Where the samples of an image that isn't compressed are in its bytes (ISO/IEC 23001-17).
struct HEIFSampleLayout {
    /// The meaning of a component's samples, by its number in `cmpd`.
    enum Kind: Int {
        case gray = 0, red = 4, green = 5, blue = 6, alpha = 7, padding = 12
    }

    /// Where the samples of a component are.
    struct Component {
        let kind: Kind
        let byteCount: Int
        /// From the tile's first byte to its first sample, from a sample to the next, and from a row to the next.
        var start = 0
        var step = 0
        var rowByteCount = 0
    }

    let components: [Component]
    let isLittleEndian: Bool
    let tileSize: PixelSize
    let tilesAcross: Int
    let tileByteCount: Int

    subscript(_ kind: Kind) -> Component? { components.first { $0.kind == kind } }

    private init(
        components: [Component], isLittleEndian: Bool, tileSize: PixelSize, tilesAcross: Int, tileByteCount: Int
    ) {
        (self.components, self.isLittleEndian, self.tileSize) = (components, isLittleEndian, tileSize)
        (self.tilesAcross, self.tileByteCount) = (tilesAcross, tileByteCount)
    }

    /// Reads the configuration `uncC`.
    /// - Throws: `corrupt`, or `unsupported` for other components and layouts.
    init(_ contents: ISOBoxReader, _ item: HEIFStoredItem, _ size: PixelSize) throws(ImageError) {
        var reader = contents
        func corrupt() -> ImageError {
            ImageError(
                .corrupt, "the configuration of the uncompressed \(item.format) image is invalid",
                byteOffset: contents.offset)
        }
        guard let version = reader.versionAndFlags()?.version, let profile = reader.code() else { throw corrupt() }
        guard version == 0 else {
            let kinds: [FourCharacterCode: [Kind]] = [
                "rgb3": [.red, .green, .blue], "rgba": [.red, .green, .blue, .alpha],
                "abgr": [.alpha, .blue, .green, .red],
            ]
            guard version == 1, let found = kinds[profile] else {
                throw Self.unsupported(item, "its profile is '\(profile)'")
            }
            self = try Self.placed(
                found.map { Component(kind: $0, byteCount: 1) }, .pixels, size, tiles: (1, 1), item)
            return
        }
        guard let count = reader.number(4), count <= 16 else { throw corrupt() }
        let kinds = try Self.kinds(item)
        var components: [Component] = []
        for _ in 0..<count {
            guard let index = reader.number(2), kinds.indices.contains(index), let bits = reader.number(1),
                let format = reader.number(1), let alignment = reader.number(1)
            else { throw corrupt() }
            guard format == 0, alignment == 0, bits == 7 || bits == 15, let kind = Kind(rawValue: kinds[index]) else {
                throw Self.unsupported(
                    item, "component \(index) has \(bits + 1) bits of format \(format), or isn't grey, RGB or alpha")
            }
            components.append(Component(kind: kind, byteCount: bits / 8 + 1))
        }
        guard let sampling = reader.number(1), let interleave = reader.number(1), let block = reader.number(1),
            let flags = reader.number(1), let pixel = reader.number(4), let row = reader.number(4),
            let tile = reader.number(4), let across = reader.number(4), let down = reader.number(4)
        else { throw corrupt() }
        guard sampling == 0, let order = Order(rawValue: interleave), block == 0, flags & 0x7F == 0, pixel <= 256,
            row <= 1 << 20, tile <= 1 << 20, order != .rows || row == 0
        else { throw Self.unsupported(item, "its samples are subsampled, packed, or interleaved in another way") }
        self = try Self.placed(
            components, order, size, tiles: (across + 1, down + 1), item, isLittleEndian: flags & 0x80 != 0,
            pixelByteCount: pixel, alignment: (row, tile))
    }

    /// How samples of different components follow each other.
    private enum Order: Int {
        case planes = 0, pixels = 1, rows = 3
    }

    /// The kinds of components, by their indices (`cmpd`).
    private static func kinds(_ item: HEIFStoredItem) throws(ImageError) -> [Int] {
        guard let property = item.property("cmpd") else { return [] }
        var reader = ISOBoxReader(item.file, property.contents)
        var kinds: [Int] = []
        guard let count = reader.number(4), count <= 16 else { return [] }
        for _ in 0..<count {
            // A kind of a maker's is followed by its name, which isn't read.
            guard let kind = reader.number(2), kind < 0x8000 else { break }
            kinds.append(kind)
        }
        return kinds
    }

    /// Finds the components' places in a tile.
    private static func placed(
        _ components: [Component], _ order: Order, _ size: PixelSize, tiles: (across: Int, down: Int),
        _ item: HEIFStoredItem, isLittleEndian: Bool = false, pixelByteCount: Int = 0,
        alignment: (row: Int, tile: Int) = (0, 0)
    ) throws(ImageError) -> HEIFSampleLayout {
        let kinds = components.map(\.kind).filter { $0 != .padding }
        let colors = Set(kinds).subtracting([.alpha])
        guard Set(kinds).count == kinds.count, colors == [.gray] || colors == [.red, .green, .blue] else {
            throw Self.unsupported(item, "its components are neither grey nor RGB")
        }
        guard size.width % tiles.across == 0, size.height % tiles.down == 0 else {
            throw ImageError(
                .corrupt, "the \(item.format) image of \(size) can't have \(tiles.across)x\(tiles.down) equal tiles")
        }
        func aligned(_ count: Int, _ alignment: Int) -> Int {
            alignment > 1 ? (count + alignment - 1) / alignment * alignment : count
        }
        let tile = PixelSize(width: size.width / tiles.across, height: size.height / tiles.down)
        var components = components
        let together = components.reduce(0) { $0 + $1.byteCount }
        let pixel = pixelByteCount == 0 ? together : pixelByteCount
        guard pixel >= together else {
            throw Self.unsupported(item, "its pixels have fewer bytes than their components")
        }
        var byteCount = 0
        for index in components.indices {
            let own = components[index].byteCount
            components[index].start = byteCount
            switch order {
            case .pixels:
                (components[index].step, components[index].rowByteCount) = (
                    pixel, aligned(tile.width * pixel, alignment.row)
                )
                byteCount += own
            case .planes:
                (components[index].step, components[index].rowByteCount) = (
                    own, aligned(tile.width * own, alignment.row)
                )
                byteCount += components[index].rowByteCount * tile.height
            case .rows:
                (components[index].step, components[index].rowByteCount) = (own, tile.width * together)
                byteCount += tile.width * own
            }
        }
        if order != .planes { byteCount = components[0].rowByteCount * tile.height }
        return HEIFSampleLayout(
            components: components, isLittleEndian: isLittleEndian, tileSize: tile, tilesAcross: tiles.across,
            tileByteCount: aligned(byteCount, alignment.tile))
    }

    static func unsupported(_ item: HEIFStoredItem, _ reason: String) -> ImageError {
        ImageError(.unsupported, "the uncompressed \(item.format) image can't be decoded: \(reason)")
    }
}
#endif
