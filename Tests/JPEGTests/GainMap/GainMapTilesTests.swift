import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("Gain maps in tiles")
struct GainMapTilesTests {
    private static let size = PixelSize(width: 512, height: 384)

    /// A file with a map of a quarter of its width and height, in which a step is at column 64.
    private static func file() throws -> [UInt8] {
        let image = try GainMapFixture.image(size: size, mapSize: PixelSize(width: 128, height: 96))
        return try GainMapFixture.file(image)
    }

    private static func tiles(_ file: [UInt8]) throws -> (GainMapTiles, GainMap) {
        let map = try #require(try Image(data: file).gainMap)
        return (try GainMapTiles(map, of: size), map)
    }

    @Test("Pieces of whole blocks are cut out without loss, in their places")
    func copied() throws {
        let (tiles, map) = try Self.tiles(Self.file())
        let whole = try map.image.bitmap()
        for (x, y) in [(0, 0), (256, 0), (0, 128), (256, 256)] {
            let region = PixelRegion(x: Double(x), y: Double(y), width: 256, height: 128)
            let pixels = PixelSize(width: 256, height: 128)
            let base = try ImageDestination(format: .jpeg).encode(GainMapFixture.bitmap(pixels))
            let tile = try tiles.adding(to: base, region: region, pixels: pixels)
            // The base's pixels are the same.
            #expect(
                try ImageSource.decode(tile).bitmap.tightBytes() == ImageSource.decode(base).bitmap.tightBytes())
            let piece = try #require(try Image(data: tile).gainMap)
            #expect(piece.metadata == map.metadata)
            let wanted = try whole.cropped(to: PixelRect(x: x / 4, y: y / 4, width: 64, height: 32))
            #expect(try piece.image.bitmap().tightBytes() == wanted.tightBytes())
        }
    }

    @Test("Other pieces are resampled, aligned to a pixel of the map")
    func resampled() throws {
        let (tiles, map) = try Self.tiles(Self.file())
        let pixels = PixelSize(width: 100, height: 60)
        let base = try ImageDestination(format: .jpeg).encode(GainMapFixture.bitmap(pixels))
        // Half the size, from column 20 on.
        let region = PixelRegion(x: 20, y: 40, width: 200, height: 120)
        let tile = try tiles.adding(to: base, region: region, pixels: pixels)
        let piece = try #require(try Image(data: tile).gainMap)
        #expect(piece.image.size == PixelSize(width: 25, height: 15) && piece.metadata == map.metadata)
        let wanted = try map.image.bitmap().resampled(
            to: piece.image.size, region: PixelRegion(x: 5, y: 10, width: 50, height: 30))
        let pairs = try zip(piece.image.bitmap().samples16, wanted.samples16)
        #expect(pairs.allSatisfy { abs(Int($0) - Int($1)) <= 257 * 6 })
        #expect(throws: ImageError.self) {
            try tiles.adding(
                to: base, region: PixelRegion(x: 400, y: 0, width: 200, height: 120), pixels: pixels)
        }
    }

    @Test("Turned tiles have turned pieces")
    func turned() throws {
        let (tiles, map) = try Self.tiles(Self.file())
        let pixels = PixelSize(width: 256, height: 128)
        let base = try ImageDestination(format: .jpeg).encode(
            GainMapFixture.bitmap(PixelSize(width: 128, height: 256)))
        let tile = try tiles.adding(
            to: base, region: PixelRegion(x: 256, y: 0, width: 256, height: 128), pixels: pixels, orientation: .right)
        let piece = try #require(try Image(data: tile).gainMap).image.bitmap()
        let wanted = try map.image.bitmap().cropped(to: PixelRect(x: 64, y: 0, width: 64, height: 32))
            .oriented(by: .right)
        #expect(piece.size == wanted.size)
        #expect(zip(piece.samples16, wanted.samples16).allSatisfy { abs(Int($0) - Int($1)) <= 257 * 6 })
    }

    @Test("libvips reads a tile's map", .needsUltraHDR)
    func libvips() throws {
        let (tiles, _) = try Self.tiles(Self.file())
        let pixels = PixelSize(width: 256, height: 128)
        let base = try ImageDestination(format: .jpeg).encode(GainMapFixture.bitmap(pixels))
        let tile = try tiles.adding(
            to: base, region: PixelRegion(x: 256, y: 0, width: 256, height: 128), pixels: pixels)
        #expect(try LibVIPS.metadata(tile)?.first == 4)
        #expect(try LibVIPS.scRGB(tile)?.count == 256 * 128 * 3)
    }
}
