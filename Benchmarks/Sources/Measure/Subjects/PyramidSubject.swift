import Foundation
import ImagePyramid
import Raster
import Tessera

/// A picture's file to a packed pyramid of JPEG tiles; what it made is one of the tiles, decoded.
final class PyramidSubject: Subject {
    private let input: String
    private let target: String

    init(_ arguments: [String]) throws {
        guard arguments.count == 2 else { throw MeasureError("usage: pyramid INPUT OUTPUT") }
        (input, target) = (arguments[0], arguments[1])
    }

    func prepare() {
        try? FileManager.default.removeItem(atPath: target)
        PixelBufferPool.shared.removeAll()
    }

    func run() throws {
        let source = try PyramidSource(path: input, options: DecodingOptions(limits: .largePictures))
        let geometry = try PyramidGeometry(size: source.size)
        let writer = try PackedPyramidWriter(path: target, geometry: geometry, encoding: TileEncoding())
        try PyramidBuilder().build(source, into: writer)
    }

    /// The last level but two: a picture of a few tiles.
    func output() throws -> Output {
        let target = target
        return try waiting {
            let picture = try await TiledImage(contentsOf: target)
            return try await picture.region(
                PixelRect(picture.size), size: picture.levels[max(0, picture.levels.count - 3)])
        }.output()
    }
}
