import ImagePyramid
import Raster

extension RawTileStore {
    /// A store of `stored`, an opaque or premultiplied picture as its file has it, all of it.
    static func filled(
        with stored: Bitmap, orientation: Orientation = .up, options: Options = Options()
    ) throws -> RawTileStore {
        let store = try RawTileStore(
            size: orientation.applied(to: stored.size), orientation: orientation, hasAlpha: stored.alpha.hasAlpha,
            options: options)
        let writer = try RawTileWriter(store, rows: stored.info)
        try writer.write(stored, rows: 0..<stored.height)
        try writer.finish()
        return store
    }

    /// A tile that is there, upright.
    func uprightTile(_ address: TileAddress) throws -> Bitmap? {
        guard let image = try readyTile(address) else { return nil }
        return try image.bitmap()
    }

    /// The addresses of all tiles.
    var allAddresses: [TileAddress] {
        geometry.levels.indices.flatMap { level in
            TileRange(
                level: level, columns: 0..<geometry.columnCount(level), rows: 0..<geometry.rowCount(level)
            ).addresses
        }
    }

    /// The tiles that aren't exactly what `levels`, of the upright picture, have in their place.
    func tilesThatDiffer(from levels: [Bitmap]) throws -> [TileAddress] {
        try allAddresses.filter { address in
            let expected = try levels[address.level].cropped(to: geometry.rect(of: address))
            return try uprightTile(address)?.tightBytes() != expected.tightBytes()
        }
    }
}

extension RawTileWriter {
    /// Writes some of a bitmap's rows, a number at a time that fits nothing.
    func write(_ bitmap: Bitmap, rows: Range<Int>) throws {
        for first in stride(from: rows.lowerBound, to: rows.upperBound, by: 37) {
            try write(bitmap.rows.extracting(first..<min(rows.upperBound, first + 37)))
        }
    }
}
