package import ImageFormats
internal import ImagePyramid
package import Raster

/// A Deep Zoom request: `ID.dzi`, or `ID_files/LEVEL/COLUMN_ROW.FORMAT`. The query may have `tile` and `overlap`, 256
/// and 0 by default. Level 0 is a single pixel.
package struct DeepZoomRequest: Hashable, Sendable {
    /// The image's identifier, decoded once.
    package let identifier: String
    package let kind: TileRequestKind
    /// Pixels along a tile's side, without its overlap.
    package let tileSize: Int
    /// Pixels by which a tile extends into each neighbour.
    package let overlap: Int

    /// The supported tile sizes.
    package static let tileSizes = 64...4096

    /// Parses the segments after the prefix, as sent, and the query. Slashes in the identifier may be encoded or not.
    /// - Throws: 404 for an address of another form; 400 for an unsupported format, tile size or overlap.
    package init(_ rawSegments: [String], query: URLQuery) throws(RequestFailure) {
        let path = rawSegments.joined(separator: "/")
        if let raw = Self.prefix(path, before: ".dzi") {
            identifier = try URLPath.decode(raw)
            kind = .document
        } else {
            guard rawSegments.count >= 3,
                let raw = Self.prefix(rawSegments.dropLast(2).joined(separator: "/"), before: "_files"),
                let level = RequestNumber.integer(rawSegments[rawSegments.count - 2]),
                let (numbers, format) = try TileFormat.numbers(
                    rawSegments[rawSegments.count - 1], separator: "_", count: 2)
            else { throw .noSuchPage }
            identifier = try URLPath.decode(raw)
            kind = .tile(level: level, column: numbers[0], row: numbers[1], format: format)
        }
        tileSize = try Self.number(query["tile"], in: Self.tileSizes, else: 256, "the tile size")
        overlap = try Self.number(query["overlap"], in: 0...tileSize / 2, else: 0, "the overlap")
    }

    private static func prefix(_ path: String, before ending: String) -> String? {
        guard path.utf8.count > ending.utf8.count, path.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8) else {
            return nil
        }
        return String(Substring(path.utf8.dropLast(ending.utf8.count)))
    }

    private static func number(
        _ text: String?, in range: ClosedRange<Int>, else standard: Int, _ name: String
    ) throws(RequestFailure) -> Int {
        guard let text else { return standard }
        guard let number = RequestNumber.integer(text), range.contains(number) else {
            throw .malformed("\(name) isn't a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The pyramid of an image of `size`.
    private func geometry(_ size: PixelSize) throws(RequestFailure) -> PyramidGeometry {
        try .of(size, tileSize: tileSize, overlap: overlap, depth: .onePixel)
    }

    /// The `.dzi` document for an image of `size`, with `format` for its tiles.
    package func document(of size: PixelSize, format: ImageFormat) throws(RequestFailure) -> [UInt8] {
        let name = IIIFFormat.name(of: format)
        return Array(PyramidTree.deepZoomDocument(try geometry(size), filenameExtension: name).utf8)
    }

    /// The requested tile of an image of `size`; nil for the document.
    /// - Throws: 404 if there is no such tile.
    package func tile(of size: PixelSize) throws(RequestFailure) -> TileRequest? {
        try kind.tile(of: geometry(size))
    }
}
