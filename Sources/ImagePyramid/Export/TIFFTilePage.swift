internal import ImageFormats
internal import Raster

/// The directory of a TIFF page made of JPEG tiles.
struct TIFFTilePage: Sendable {
    let size: PixelSize
    let tileSize: Int
    let offsets: [Int]
    let byteCounts: [Int]
    /// The segments shared by all tiles, without SOI and EOI.
    let tables: [UInt8]

    init(_ directory: TIFFDirectory, _ structure: TIFFStructure) throws(ImageError) {
        func number(_ tag: Int, _ name: String) throws(ImageError) -> Int {
            guard let field = directory[tag], let value = structure.integer(field) else {
                throw ImageError(.unsupported, "the TIFF has no \(name): it isn't tiled")
            }
            return value
        }
        guard try number(259, "compression") == 7 else {
            throw ImageError(.unsupported, "the TIFF's tiles aren't JPEG")
        }
        size = PixelSize(width: try number(256, "width"), height: try number(257, "height"))
        tileSize = try number(322, "tiles' width")
        guard try number(323, "tiles' height") == tileSize, 1...PyramidGeometry.maximumTileSize ~= tileSize,
            1..<1 << 31 ~= size.width, 1..<1 << 31 ~= size.height
        else { throw ImageError(.unsupported, "the TIFF's tiles aren't squares of a usual size") }
        func numbers(_ tag: Int) throws(ImageError) -> [Int] {
            let field = directory[tag]
            let values = field.map { field in (0..<field.count).compactMap { structure.integer(field, at: $0) } } ?? []
            guard let field, values.count == field.count else {
                throw ImageError(.corrupt, "the TIFF has no valid TileOffsets and TileByteCounts tags")
            }
            return values
        }
        offsets = try numbers(324)
        byteCounts = try numbers(325)
        let tables = directory[347].map(structure.bytes(of:)) ?? []
        self.tables = tables.count >= 4 ? Array(tables[2..<tables.count - 2]) : []
    }
}
