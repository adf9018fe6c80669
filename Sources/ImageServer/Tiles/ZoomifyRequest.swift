internal import ImageFormats
internal import ImagePyramid
package import Raster

/// A Zoomify request: `ID/ImageProperties.xml`, or `ID/TileGroupN/TIER-COLUMN-ROW.jpg`. Tier 0 fits in one tile.
///
/// Halved sizes are rounded up, as in most programs. Those that round down number the groups differently for some
/// sizes, so every group number is accepted.
package struct ZoomifyRequest: Hashable, Sendable {
    /// The image's identifier, decoded once.
    package let identifier: String
    package let kind: TileRequestKind

    /// Parses the segments after the prefix, as sent. Slashes in the identifier may be encoded or not.
    /// - Throws: 404 for an address of another form; 400 for an unsupported format.
    package init(_ rawSegments: [String]) throws(RequestFailure) {
        let group = "TileGroup"
        let identifierCount: Int
        if rawSegments.count >= 2, rawSegments.last == "ImageProperties.xml" {
            kind = .document
            identifierCount = rawSegments.count - 1
        } else {
            guard rawSegments.count >= 3, rawSegments[rawSegments.count - 2].utf8.starts(with: group.utf8),
                RequestNumber.integer(Substring(rawSegments[rawSegments.count - 2].utf8.dropFirst(group.utf8.count)))
                    != nil,
                let (numbers, format) = try TileFormat.numbers(
                    rawSegments[rawSegments.count - 1], separator: "-", count: 3)
            else { throw .noSuchPage }
            kind = .tile(level: numbers[0], column: numbers[1], row: numbers[2], format: format)
            identifierCount = rawSegments.count - 2
        }
        identifier = try URLPath.decode(rawSegments.prefix(identifierCount).joined(separator: "/"))
    }

    /// The `ImageProperties.xml` document for an image of `size`.
    package func document(of size: PixelSize) throws(RequestFailure) -> [UInt8] {
        Array(PyramidTree.zoomifyProperties(try PyramidGeometry.of(size)).utf8)
    }

    /// The requested tile of an image of `size`; nil for the document.
    /// - Throws: 404 if there is no such tile.
    package func tile(of size: PixelSize) throws(RequestFailure) -> TileRequest? {
        try kind.tile(of: .of(size))
    }
}
