package import ImageFormats
package import ImagePyramid
package import Raster

/// A tile that is requested by Deep Zoom, Zoomify or XYZ.
package struct TileRequest: Hashable, Sendable {
    /// The pyramid level: the number of halvings, 0 for full resolution.
    package let level: Int
    /// The source rectangle, in pixels at full resolution.
    package let rect: PixelRect
    /// The rectangle's size at its level.
    package let size: PixelSize
    /// The size of the encoded tile, with the image at its top left and the rest empty. Larger than `size` only at
    /// edges, in layouts whose tiles all have one size.
    package let canvas: PixelSize
    /// The encoded format.
    package let format: ImageFormat

    /// Looks up the tile at `address`.
    /// - Throws: 404 if there is none.
    init(
        _ address: TileAddress, of geometry: PyramidGeometry, format: ImageFormat, fillsUp: Bool = false
    ) throws(RequestFailure) {
        guard geometry.contains(address) else {
            throw RequestFailure(
                404, "there is no such tile in an image of \(geometry.size) with tiles of \(geometry.tileSize) pixels")
        }
        level = address.level
        rect = geometry.region(of: address)
        size = geometry.rect(of: address).size
        canvas = fillsUp ? PixelSize(width: geometry.tileSize, height: geometry.tileSize) : size
        self.format = format
    }

    /// The identical tile of another tiling; nil if there is none.
    package func address(in geometry: PyramidGeometry) -> TileAddress? {
        canvas == size ? geometry.address(of: rect, size: size) : nil
    }

    /// The tile as a rendering, without its canvas.
    package var rendering: PictureRendering { PictureRendering(region: rect, size: size, format: format) }
}

/// The resource that a tile request refers to.
package enum TileRequestKind: Hashable, Sendable {
    /// The document that describes the tiling.
    case document
    /// A tile, with levels counted from the smallest.
    case tile(level: Int, column: Int, row: Int, format: ImageFormat)

    /// The tile's format; nil for the document.
    var format: ImageFormat? { if case .tile(_, _, _, let format) = self { format } else { nil } }

    /// The requested tile in `geometry`; nil for the document.
    /// - Throws: 404 if there is no such tile.
    func tile(of geometry: PyramidGeometry, fillsUp: Bool = false) throws(RequestFailure) -> TileRequest? {
        guard case .tile(let level, let column, let row, let format) = self else { return nil }
        let address = TileAddress(level: geometry.levels.count - 1 - level, column: column, row: row)
        return try TileRequest(address, of: geometry, format: format, fillsUp: fillsUp)
    }
}

/// Parses the file names of tiles.
enum TileFormat {
    /// The format for a file extension.
    /// - Throws: 400 for an unsupported one.
    static func format(_ filenameExtension: some StringProtocol) throws(RequestFailure) -> ImageFormat {
        let name = filenameExtension == "jpeg" ? "jpg" : String(filenameExtension)
        guard let format = IIIFFormat.format(named: name) else { throw .malformed("there are no tiles as \(name)") }
        return format
    }

    /// Parses a name of `count` integers with an extension, such as `3_4.jpg`; nil for other names.
    /// - Throws: 400 for an unsupported extension.
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
    /// The tiling of an image of `size`.
    /// - Throws: 404 for an image without pixels.
    static func of(
        _ size: PixelSize, tileSize: Int = 256, overlap: Int = 0, depth: Depth = .oneTile
    ) throws(RequestFailure) -> PyramidGeometry {
        do {
            return try PyramidGeometry(size: size, tileSize: tileSize, overlap: overlap, depth: depth)
        } catch {
            throw .noSuchPicture
        }
    }

    /// The tile that consists of `region` of the full image, scaled to `size`; nil if no tile matches exactly.
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

    /// The region of the full image that a tile covers.
    func region(of address: TileAddress) -> PixelRect {
        let rect = rect(of: address)
        let (x, y) = (rect.x << address.level, rect.y << address.level)
        return PixelRect(
            x: x, y: y, width: min(rect.width << address.level, size.width - x),
            height: min(rect.height << address.level, size.height - y))
    }
}
