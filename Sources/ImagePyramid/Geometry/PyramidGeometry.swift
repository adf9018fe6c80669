public import Raster

/// The division of an image into levels and tiles.
///
/// Each level is half of the previous one, rounded up. Tiles are squares from the top left on; those at the right and
/// bottom edges are smaller. With an overlap, a tile extends that many pixels into each of its neighbours.
public struct PyramidGeometry: Hashable, Sendable {
    /// The level at which halving ends.
    public enum Depth: Hashable, Sendable {
        /// At the first level that one tile covers.
        case oneTile
        /// At a single pixel, as in Deep Zoom.
        case onePixel
        /// At the full image, which is the only level.
        case one
        /// At the last level that is at least as large as a view of this size, or at the first that one tile covers.
        case view(PixelSize)
    }

    /// The full image's size in pixels.
    public let size: PixelSize
    /// Pixels on a tile's side, without overlap.
    public let tileSize: Int
    /// Pixels that a tile extends into each neighbour.
    public let overlap: Int
    /// The sizes of the levels, largest first.
    public let levels: [PixelSize]

    /// The largest tile size, 8192 pixels; the standard viewers accept it.
    public static let maximumTileSize = 8192

    /// Creates the geometry of an existing pyramid with levels of these sizes, whose halves may be rounded down.
    init(sizes: [PixelSize], tileSize: Int) {
        precondition(!sizes.isEmpty && sizes.allSatisfy { !$0.isEmpty } && tileSize > 0)
        size = sizes[0]
        self.tileSize = tileSize
        overlap = 0
        levels = sizes
    }

    /// Creates the geometry of an image of `size`.
    /// - Throws: `invalidParameter` for an empty size, a tile size that isn't between 1 and 8192, or an overlap that is
    ///   negative or larger than a tile.
    public init(
        size: PixelSize, tileSize: Int = 256, overlap: Int = 0, depth: Depth = .oneTile
    ) throws(ImageError) {
        guard !size.isEmpty else { throw ImageError(.invalidParameter, "an image of \(size) has no tiles") }
        guard 1...Self.maximumTileSize ~= tileSize else {
            throw ImageError(
                .invalidParameter, "a tile size of \(tileSize) is not between 1 and \(Self.maximumTileSize)")
        }
        guard 0...tileSize ~= overlap else {
            throw ImageError(
                .invalidParameter, "an overlap of \(overlap) is not between 0 and the tile size, \(tileSize)")
        }
        self.size = size
        self.tileSize = tileSize
        self.overlap = overlap
        var levels = [size]
        let (smallest, view) =
            switch depth {
            case .oneTile: (tileSize, PixelSize(width: 1, height: 1))
            case .onePixel: (1, PixelSize(width: 1, height: 1))
            case .one: (max(size.width, size.height), size)
            case .view(let view): (tileSize, view)
            }
        while let last = levels.last, max(last.width, last.height) > smallest {
            let half = PixelSize(width: (last.width + 1) / 2, height: (last.height + 1) / 2)
            guard half.width >= view.width, half.height >= view.height else { break }
            levels.append(half)
        }
        self.levels = levels
    }

    /// Returns the number of columns of tiles in `level`. Traps if the level doesn't exist.
    public func columnCount(_ level: Int) -> Int { (levels[level].width + tileSize - 1) / tileSize }

    /// Returns the number of rows of tiles in `level`. Traps if the level doesn't exist.
    public func rowCount(_ level: Int) -> Int { (levels[level].height + tileSize - 1) / tileSize }

    /// The number of tiles of all levels. Complexity: O(levels).
    public var tileCount: Int {
        levels.indices.reduce(0) { $0 + columnCount($1) * rowCount($1) }
    }

    /// Returns whether the geometry has a tile at `address`.
    public func contains(_ address: TileAddress) -> Bool {
        levels.indices.contains(address.level) && address.column >= 0 && address.row >= 0
            && address.column < columnCount(address.level) && address.row < rowCount(address.level)
    }

    /// Returns the pixels of its level that a tile covers, overlap included. Traps for an address outside the geometry.
    public func rect(of address: TileAddress) -> PixelRect {
        precondition(contains(address))
        let size = levels[address.level]
        let columns = Self.range(address.column, tileSize, overlap, within: size.width)
        let rows = Self.range(address.row, tileSize, overlap, within: size.height)
        return PixelRect(x: columns.lowerBound, y: rows.lowerBound, width: columns.count, height: rows.count)
    }

    private static func range(_ index: Int, _ tileSize: Int, _ overlap: Int, within length: Int) -> Range<Int> {
        max(0, index * tileSize - overlap)..<min(length, (index + 1) * tileSize + overlap)
    }
}

/// Numbers the tiles of a pyramid: level by level, largest first, each row by row.
struct TileNumbering: Sendable {
    /// The number of each level's first tile, and the total.
    private let starts: [Int]
    private let columnCounts: [Int]

    init(_ geometry: PyramidGeometry) {
        var starts = [0]
        for level in geometry.levels.indices {
            starts.append(starts[level] + geometry.columnCount(level) * geometry.rowCount(level))
        }
        self.starts = starts
        columnCounts = geometry.levels.indices.map { geometry.columnCount($0) }
    }

    var count: Int { starts[starts.count - 1] }

    func start(of level: Int) -> Int { starts[level] }

    subscript(_ address: TileAddress) -> Int {
        starts[address.level] + address.row * columnCounts[address.level] + address.column
    }

    subscript(_ number: Int) -> TileAddress {
        var level = 0
        while number >= starts[level + 1] { level += 1 }
        let (row, column) = (number - starts[level]).quotientAndRemainder(dividingBy: columnCounts[level])
        return TileAddress(level: level, column: column, row: row)
    }
}
