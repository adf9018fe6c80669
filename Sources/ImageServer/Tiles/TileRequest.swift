package import ImageFormats
package import ImagePyramid
package import Raster

/// A tile that is asked for by one of the layouts of the standard viewers.
package struct TileRequest: Hashable, Sendable {
    /// How often the picture is halved: 0 is the picture in full.
    package let level: Int
    /// The part of the picture, in pixels of the picture in full.
    package let rect: PixelRect
    /// The part's size at its level.
    package let size: PixelSize
    /// The size of the file, whose top left is the part, the rest being empty; larger than `size` only at edges, and
    /// only where the layout wants all tiles to be of one size.
    package let canvas: PixelSize
    /// What it is written as.
    package let format: ImageFormat

    /// The tile at `address`.
    /// - Throws: 404 where there is none.
    init(
        _ address: TileAddress, of geometry: PyramidGeometry, format: ImageFormat, fillsUp: Bool = false
    ) throws(RequestFailure) {
        guard geometry.contains(address) else { throw RequestFailure(404, "there is no such tile") }
        level = address.level
        rect = geometry.region(of: address)
        size = geometry.rect(of: address).size
        canvas = fillsUp ? PixelSize(width: geometry.tileSize, height: geometry.tileSize) : size
        self.format = format
    }

    /// The same tile of another division of the picture; nil where there is none that is the same.
    package func address(in geometry: PyramidGeometry) -> TileAddress? {
        canvas == size ? geometry.address(of: rect, size: size) : nil
    }

    /// The tile as a rendering, its canvas left out of account.
    package var rendering: PictureRendering { PictureRendering(region: rect, size: size, format: format) }
}

/// What is asked for of a picture in one of those layouts.
package enum TileRequestKind: Hashable, Sendable {
    /// The document that says how the picture is divided.
    case document
    /// A tile, its level counted from the smallest.
    case tile(level: Int, column: Int, row: Int, format: ImageFormat)

    /// What the tile is to be written as; nil for the document.
    var format: ImageFormat? { if case .tile(_, _, _, let format) = self { format } else { nil } }

    /// The tile of a picture that is divided so; nil for the document.
    /// - Throws: 404 where there is no such tile.
    func tile(of geometry: PyramidGeometry, fillsUp: Bool = false) throws(RequestFailure) -> TileRequest? {
        guard case .tile(let level, let column, let row, let format) = self else { return nil }
        let address = TileAddress(level: geometry.levels.count - 1 - level, column: column, row: row)
        return try TileRequest(address, of: geometry, format: format, fillsUp: fillsUp)
    }
}

/// What tiles can be asked for as.
enum TileFormat {
    /// The format of tiles with this extension.
    /// - Throws: 400 for one that tiles can't be had in.
    static func format(_ filenameExtension: some StringProtocol) throws(RequestFailure) -> ImageFormat {
        let name = filenameExtension == "jpeg" ? "jpg" : String(filenameExtension)
        guard let format = IIIFFormat.format(named: name) else { throw .malformed("tiles can't be had in this format") }
        return format
    }

    /// A name of whole numbers with an extension: `3_4.jpg`; nil for anything else.
    static func numbers(
        _ name: String, separator: Character, count: Int
    ) throws(RequestFailure) -> (numbers: [Int], format: ImageFormat)? {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let parts = name[..<dot].split(separator: separator, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { RequestNumber.integer($0) }
        guard parts.count == count, numbers.count == count else { return nil }
        return (numbers, try format(name[name.utf8.index(after: dot)...]))
    }
}

extension PyramidGeometry {
    /// The division of a picture of `size` into what is asked for.
    /// - Throws: 404 for a picture without pixels.
    static func of(
        _ size: PixelSize, tileSize: Int = 256, overlap: Int = 0, depth: Depth = .oneTile
    ) throws(RequestFailure) -> PyramidGeometry {
        do {
            return try PyramidGeometry(size: size, tileSize: tileSize, overlap: overlap, depth: depth)
        } catch {
            throw .noSuchPicture
        }
    }

    /// The tile that is `region` of the full picture at `size`; nil where that isn't exactly one of its tiles.
    package func address(of region: PixelRect, size: PixelSize) -> TileAddress? {
        guard overlap == 0, region.lies(within: self.size) else { return nil }
        for level in levels.indices {
            let side = tileSize << level
            guard region.x % side == 0, region.y % side == 0,
                region.width == min(side, self.size.width - region.x),
                region.height == min(side, self.size.height - region.y)
            else { continue }
            let address = TileAddress(level: level, column: region.x / side, row: region.y / side)
            if contains(address), rect(of: address).size == size { return address }
        }
        return nil
    }

    /// What a tile covers of the full picture.
    func region(of address: TileAddress) -> PixelRect {
        let rect = rect(of: address)
        let (x, y) = (rect.x << address.level, rect.y << address.level)
        return PixelRect(
            x: x, y: y, width: min(rect.width << address.level, size.width - x),
            height: min(rect.height << address.level, size.height - y))
    }
}
