internal import Raster

/// What a TIFF's directory says of a page made of JPEG tiles.
struct TIFFTilePage: Sendable {
    let size: PixelSize
    let tileSize: Int
    let offsets: [Int]
    let byteCounts: [Int]
    /// The segments that all tiles have in common, without the markers around them.
    let tables: [UInt8]

    init(_ fields: [UInt16: TIFFStructureReader.Field], _ structure: TIFFStructureReader) throws(ImageError) {
        func number(_ tag: UInt16, _ name: String) throws(ImageError) -> Int {
            guard let field = fields[tag], let value = try structure.numbers(field).first else {
                throw ImageError(.unsupported, "the TIFF says nothing of its \(name): it isn't made of tiles")
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
        guard let places = fields[324], let lengths = fields[325] else {
            throw ImageError(.corrupt, "the TIFF doesn't say where its tiles are")
        }
        offsets = try structure.numbers(places)
        byteCounts = try structure.numbers(lengths)
        let tables = try fields[347].map { (field) throws(ImageError) in try structure.bytes(field) } ?? []
        self.tables = tables.count >= 4 ? Array(tables[2..<tables.count - 2]) : []
    }
}
