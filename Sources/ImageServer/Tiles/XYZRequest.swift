package import ImageFormats
internal import ImagePyramid
internal import Platform
package import Raster

/// A request for a map tile: `ID/Z/X/Y.FORMAT`, or `ID/tilejson.json`. All tiles are 256 × 256. Zoom 0 is a single
/// tile, and the image starts at the top left.
package struct XYZRequest: Hashable, Sendable {
    /// The image's identifier, decoded once.
    package let identifier: String
    package let kind: TileRequestKind

    /// Parses the segments after the prefix, as sent. Slashes in the identifier may be encoded or not.
    /// - Throws: 404 for an address of another form; 400 for an unsupported format.
    package init(_ rawSegments: [String]) throws(RequestFailure) {
        let count = rawSegments.count
        if count >= 2, rawSegments.last == "tilejson.json" {
            kind = .document
            identifier = try URLPath.decode(rawSegments.dropLast().joined(separator: "/"))
            return
        }
        guard count >= 4, let zoom = RequestNumber.integer(rawSegments[count - 3]),
            let column = RequestNumber.integer(rawSegments[count - 2]),
            let (numbers, format) = try TileFormat.numbers(rawSegments[count - 1], separator: "/", count: 1)
        else { throw .noSuchPage }
        kind = .tile(level: zoom, column: column, row: numbers[0], format: format)
        identifier = try URLPath.decode(rawSegments.dropLast(3).joined(separator: "/"))
    }

    /// The TileJSON 2.2.0 document for an image of `size` with tiles below `address` (`https://…/xyz/ID`) in `format`.
    ///
    /// The bounds place the image at the top left of a Web Mercator map.
    package func document(
        of size: PixelSize, address: String, format: ImageFormat
    ) throws(RequestFailure) -> [UInt8] {
        let geometry = try PyramidGeometry.of(size)
        let zoom = geometry.levels.count - 1
        let whole = Double(geometry.tileSize << zoom)
        let east = Double(size.width) / whole * 360 - 180
        let south = atan(sinh(.pi * (1 - 2 * Double(size.height) / whole))) * 180 / .pi
        let tiles = "\(address)/{z}/{x}/{y}.\(IIIFFormat.name(of: format))"
        let document = JSONValue.object([
            ("tilejson", .string("2.2.0")), ("scheme", .string("xyz")), ("tiles", .array([.string(tiles)])),
            ("minzoom", .integer(0)), ("maxzoom", .integer(zoom)),
            ("bounds", .array([.number(-180), .number(south), .number(east), .number(85.0511287798066)])),
            ("width", .integer(size.width)), ("height", .integer(size.height)),
            ("tileSize", .integer(geometry.tileSize)),
        ])
        return Array(document.compactText.utf8)
    }

    /// The requested tile of an image of `size`; nil for the document.
    /// - Throws: 404 if there is no such tile.
    package func tile(of size: PixelSize) throws(RequestFailure) -> TileRequest? {
        try kind.tile(of: .of(size), fillsUp: true)
    }
}
