internal import Raster

/// An image composed of tiles of equal size (ISO/IEC 23008-12, 6.6.2.3), as written by phones.
struct ISOImageGrid {
    let rows: Int
    let columns: Int
    /// The image's size before it is turned. Tiles may extend beyond it on the right and at the bottom.
    let size: PixelSize
    let tileSize: PixelSize
    /// The items of the tiles, row by row.
    let tiles: [Int]
    /// The orientation to apply to the image.
    let orientation: Orientation

    /// The grid with this item identifier; nil if the item is of another kind, is cropped, or isn't covered by plain
    /// tiles of equal size.
    init?(_ identifier: Int, of items: ISOImageItems, in file: [UInt8]) {
        guard items.type(of: identifier) == "grid", let data = items.data(of: identifier, in: file) else { return nil }
        var reader = ISOBoxReader(file, data.startIndex..<data.endIndex)
        guard reader.number(1) == 0, let flags = reader.number(1), let lastRow = reader.number(1),
            let lastColumn = reader.number(1), let width = reader.number(flags & 1 == 1 ? 4 : 2),
            let height = reader.number(flags & 1 == 1 ? 4 : 2)
        else { return nil }
        (rows, columns) = (lastRow + 1, lastColumn + 1)
        size = PixelSize(width: width, height: height)
        tiles = items.parts(of: identifier)
        guard !size.isEmpty, tiles.count == rows * columns, let tileSize = Self.tileSize(tiles, items, file),
            !tileSize.isEmpty,
            // The tiles cover the image, with no superfluous row or column.
            (tileSize.width * (columns - 1) + 1...tileSize.width * columns).contains(width),
            (tileSize.height * (rows - 1) + 1...tileSize.height * rows).contains(height),
            let orientation = Self.orientation(of: identifier, items, file)
        else { return nil }
        self.tileSize = tileSize
        self.orientation = orientation
    }

    /// The common size of all tiles; nil if they differ, or aren't plain coded images.
    private static func tileSize(_ tiles: [Int], _ items: ISOImageItems, _ file: [UInt8]) -> PixelSize? {
        var common: PixelSize?
        for tile in Set(tiles) {
            guard let type = items.type(of: tile), ["hvc1", "av01", "avc1"].contains(type),
                items.data(of: tile, in: file) != nil, items.properties(of: tile).count < 100
            else { return nil }
            var size: PixelSize?
            for property in items.properties(of: tile) {
                switch property.type {
                case "ispe":
                    var reader = ISOBoxReader(file, property.contents)
                    guard let announced = reader.size() else { return nil }
                    size = announced
                case "clap", "irot", "imir": return nil
                default: break
                }
            }
            guard let size, common == nil || common == size else { return nil }
            common = size
        }
        return common
    }

    /// The orientation from an item's properties; nil if they crop it.
    private static func orientation(of item: Int, _ items: ISOImageItems, _ file: [UInt8]) -> Orientation? {
        var orientation = Orientation.up
        for property in items.properties(of: item) where ISOTransformation.types.contains(property.type) {
            guard property.type != "clap", let turn = property.orientation(in: file) else { return nil }
            orientation = orientation.followed(by: turn)
        }
        return orientation
    }

    /// The tiles that intersect `area` of the stored image, each with its position.
    func tiles(in area: PixelRect) -> [(item: Int, place: PixelRect)] {
        var found: [(Int, PixelRect)] = []
        for row in (area.y / tileSize.height)...((area.y + area.height - 1) / tileSize.height) {
            for column in (area.x / tileSize.width)...((area.x + area.width - 1) / tileSize.width) {
                let place = PixelRect(
                    x: column * tileSize.width, y: row * tileSize.height, width: tileSize.width,
                    height: tileSize.height)
                found.append((tiles[row * columns + column], place))
            }
        }
        return found
    }

    /// Divides `area` into parts that are each one row of tiles in the upright image, from the top.
    func bands(of area: PixelRect) -> [PixelRect] {
        let swaps = orientation.swapsSides
        let (start, length) = swaps ? (area.x, area.width) : (area.y, area.height)
        let step = swaps ? tileSize.width : tileSize.height
        let bands = (start / step...(start + length - 1) / step).map { index in
            let first = max(start, index * step)
            let count = min(start + length, (index + 1) * step) - first
            return swaps
                ? PixelRect(x: first, y: area.y, width: count, height: area.height)
                : PixelRect(x: area.x, y: first, width: area.width, height: count)
        }
        guard let first = bands.first, let last = bands.last else { return [] }
        let isReversed = orientation.applied(to: first, in: size).y > orientation.applied(to: last, in: size).y
        return isReversed ? bands.reversed() : bands
    }
}
