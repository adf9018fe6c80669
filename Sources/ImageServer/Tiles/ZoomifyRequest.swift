internal import ImageFormats
internal import ImagePyramid
package import Raster

/// A request of Zoomify: `ID/ImageProperties.xml`, or `ID/TileGroupN/TIER-COLUMN-ROW.jpg`. Tier 0 fits a tile.
///
/// Halves are rounded up, as in the files that most programs write. Of some sizes a program that rounds down counts other
/// groups, so any group is taken.
package struct ZoomifyRequest: Hashable, Sendable {
    /// The picture, decoded once.
    package let identifier: String
    package let kind: TileRequestKind

    /// The request in the segments that follow the prefix, as they were sent. The identifier's slashes may be encoded or
    /// not.
    /// - Throws: 404 for what isn't a request, 400 for a format that can't be had.
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

    /// The document for a picture of `size`.
    package func document(of size: PixelSize) throws(RequestFailure) -> [UInt8] {
        Array(PyramidTree.zoomifyProperties(try PyramidGeometry.of(size)).utf8)
    }

    /// The tile of a picture of `size`; nil for the document.
    /// - Throws: 404 where there is no such tile.
    package func tile(of size: PixelSize) throws(RequestFailure) -> TileRequest? {
        try kind.tile(of: .of(size))
    }
}
