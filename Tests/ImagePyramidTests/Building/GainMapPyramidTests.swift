import Foundation
import ImageFormats
import ImageFormatsTestSupport
import ImagePyramid
import Raster
import TestSupport
import Testing

@Suite("Pyramids of images with gain maps")
struct GainMapPyramidTests {
    private let folder: TemporaryFolder
    private static let metadata = GainMapMetadata(.init(minimum: 0, maximum: 2), alternateHeadroom: 2)

    init() throws { folder = try TemporaryFolder() }

    private func makeInput(orientation: Orientation = .up) throws -> String {
        let base = try Bitmap.grainy(PixelSize(width: 700, height: 516))
        let map = try base.resampled(to: PixelSize(width: 175, height: 129)).converted(to: .gray8)
        let image = Image(base).withGainMap(GainMap(Image(map), Self.metadata))
        let options = EncodingOptions(quality: 0.9, metadata: ImageMetadata(orientation: orientation))
        return try folder.write(image.data(as: .jpeg, options: options), to: "bright.jpg")
    }

    @Test("Every JPEG tile has its piece of the map", arguments: [PyramidLayout.deepZoom, .zoomify, .packed])
    func tiles(layout: PyramidLayout) async throws {
        let output = folder.file("out")
        let geometry = try await Pyramid.build(makeInput(), to: output, as: layout)
        let tiled = try await TiledImage(contentsOf: URL(filePath: output))
        for level in geometry.levels.indices where max(geometry.levels[level].width, geometry.levels[level].height) > 60
        {
            let address = TileAddress(level: level, column: geometry.columnCount(level) - 1, row: 0)
            let tile = try #require(try await tiled.encodedTile(address))
            let image = try Image(data: tile.bytes)
            let map = try #require(image.gainMap, "level \(level)")
            #expect(map.metadata == Self.metadata)
            #expect(try #require(try image.gainMapMisfit()) < 14, "level \(level)")
        }
    }

    @Test("Tiles in TIFF and of other formats have no map, and none where it isn't wanted")
    func others() async throws {
        let input = try makeInput()
        try await Pyramid.build(input, to: folder.file("a.tif"))
        try await Pyramid.build(input, to: folder.file("b"), as: .deepZoom, format: .png)
        let source = try PyramidSource(path: input)
        let geometry = try PyramidGeometry(size: source.size)
        let sink = try TreeSink(
            path: folder.file("c"), layout: .zoomify, geometry: geometry, encoding: TileEncoding())
        var builder = PyramidBuilder()
        builder.keepsGainMap = false
        try builder.build(source, into: sink)
        #expect(try Image(path: folder.file("a.tif")).gainMap == nil)
        let files = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
        let tiles = files.filter { $0.contains("/") && ($0.hasSuffix(".png") || $0.hasSuffix(".jpg")) }
        #expect(Set(tiles.map { $0.suffix(4) }) == [".png", ".jpg"])
        for tile in tiles { #expect(try Image(path: folder.file(tile)).gainMap == nil, "\(tile)") }
    }

    @Test("The map of a turned image turns with it")
    func turned() async throws {
        try await Pyramid.build(makeInput(orientation: .right), to: folder.file("out"), as: .zoomify)
        let tiled = try await TiledImage(contentsOf: URL(filePath: folder.file("out")))
        let tile = try #require(try await tiled.encodedTile(TileAddress(level: 0, column: 0, row: 0)))
        let image = try Image(data: tile.bytes)
        #expect(try #require(try image.gainMapMisfit()) < 14)
    }
}
