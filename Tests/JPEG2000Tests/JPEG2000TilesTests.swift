#if JPEG2000
import Foundation
import ImageFormats
import ImageFormatsTestSupport
import ImageIsolation
import ImagePyramid
import Raster
import TestSupport
import Testing

@Suite("JPEG 2000: tiles of a file")
struct JPEG2000TilesTests {
    private static let size = PixelSize(width: 1500, height: 1100)

    private static func file(tile: PixelSize, _ options: EncodingOptions = EncodingOptions(quality: 0.9)) throws
        -> [UInt8]
    {
        var options = options
        options.jpeg2000.tileSize = tile
        return try ImageDestination(format: .jpeg2000, options: options).encode(Bitmap.grainy(size))
    }

    /// Compares every tile of every level with the image decoded as a whole at that resolution.
    private func compare(_ file: [UInt8], _ codecs: CodecRegistry = .builtIn, levels: Int = 5) async throws {
        var options = TiledImage.Options()
        options.codecs = codecs
        let tiled = try await TiledImage(file, options: options)
        #expect(tiled.access == .stored && tiled.size == Self.size)
        for level in 0..<min(levels, tiled.levels.count) {
            let size = tiled.levels[level]
            let plan = DecodingPlan(targetSize: PixelSize(width: size.width / 2, height: size.height / 2))
            let whole = try ImageRowSource(Source(file), plan: level == 0 ? .full : plan).makeBitmap()
            #expect(whole.size == size)
            for row in 0..<tiled.geometry.rowCount(level) {
                for column in 0..<tiled.geometry.columnCount(level) {
                    let address = TileAddress(level: level, column: column, row: row)
                    let tile = try await tiled.tile(address).bitmap()
                    let expected = try whole.cropped(to: tiled.geometry.rect(of: address))
                    #expect(tile.tightBytes() == expected.tightBytes(), "\(address)")
                }
            }
        }
    }

    @Test(
        "Tiles have the pixels of the image at their resolution",
        arguments: [
            PixelSize(width: 256, height: 256), PixelSize(width: 500, height: 333),
            PixelSize(width: 2000, height: 2000),
        ])
    func pixels(_ tile: PixelSize) async throws {
        try await compare(Self.file(tile: tile))
    }

    @Test("Tiles have the same pixels in worker processes", .needsNoSanitizer("workers aren't built with it"))
    func isolated() async throws {
        guard let isolation = try? IsolatedDecoding() else { return }
        try await compare(
            Self.file(tile: PixelSize(width: 512, height: 512)),
            isolation.registry(isolating: [.jpeg2000, .jpeg2000Codestream]), levels: 2)
        #expect(isolation.startedWorkerCount > 0)
    }

    /// Waves, of which a place that is off by a fraction of a pixel shows.
    private static func waves() throws -> Bitmap {
        var bitmap = try MutableBitmap(BitmapInfo(size: size, format: .rgba8))
        var rows = bitmap.mutableRows
        for y in 0..<size.height {
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<size.width {
                let (across, down) = (sin(Double(x) / 20), sin(Double(y) / 30))
                row[x] = RGBA8(UInt8(128 + 100 * across), UInt8(128 + 100 * down), UInt8(128 + 100 * across * down))
            }
        }
        return bitmap.freeze()
    }

    @Test("A size between two levels has everything in its place", arguments: Orientation.allCases)
    func places(orientation: Orientation) async throws {
        var (encoding, opening) = (EncodingOptions(quality: 0.95), TiledImage.Options())
        encoding.jpeg2000.tileSize = PixelSize(width: 512, height: 512)
        opening.orientation = orientation
        let file = try ImageDestination(format: .jpeg2000, options: encoding).encode(Self.waves())
        let tiled = try await TiledImage(file, options: opening)
        let whole = try Self.waves().oriented(by: orientation)
        for side in [80, 150, 300, 600, 1000] {
            let size = whole.size.fitted(within: PixelSize(width: side, height: side))
            let overview = try await tiled.overview(maximumSide: side)
            #expect(try #require(overview.noise(against: whole.resampled(to: size))) > 40, "\(side)")
        }
        let rect = PixelRect(x: 301, y: 203, width: 500, height: 400)
        let part = try await tiled.region(rect, size: PixelSize(width: 100, height: 80))
        let expected = try whole.resampled(to: part.size, region: PixelRegion(rect))
        #expect(try #require(part.noise(against: expected)) > 35)
    }

    @Test("A level serves sizes of as many pixels, as its filter is good enough")
    func levels() async throws {
        let tiled = try await TiledImage(Self.file(tile: PixelSize(width: 512, height: 512)))
        for (target, level) in [(1500, 0), (751, 0), (750, 1), (600, 1), (375, 2), (370, 2), (200, 2), (100, 3)] {
            let size = PixelSize(width: target, height: max(1, target * 11 / 15))
            #expect(tiled.level(for: Self.size, at: size) == level, "\(target)")
        }
    }

    @Test("An image that isn't at the grid's origin has tiles, with colours and alpha", .needs(OpenJPEG.compress))
    func origin() async throws {
        let components = (0..<4).map { OpenJPEG.Component.grainy(Self.size, seed: $0) }
        let arguments = ["-d", "37,21", "-T", "5,0", "-t", "300,411", "-mct", "0"]
        let stream = try #require(try OpenJPEG.codestream(components, arguments: arguments))
        let file = Boxes.file(
            stream, Boxes.color(16) + Boxes.definitions([(0, 0, 3), (1, 0, 2), (2, 0, 1), (3, 1, 0)]))
        let tiled = try await TiledImage(file)
        let whole = try ImageSource.decode(file).bitmap
        for address in [TileAddress(level: 0, column: 0, row: 0), TileAddress(level: 0, column: 5, row: 4)] {
            let tile = try await tiled.tile(address).bitmap()
            #expect(tile.alpha == .straight)
            #expect(tile.tightBytes() == (try whole.cropped(to: tiled.geometry.rect(of: address)).tightBytes()))
        }
        let overview = try await tiled.overview(maximumSide: 100)
        let expected = try whole.resampled(to: overview.size, filter: .area)
        #expect((try #require(overview.noise(against: expected.converted(to: overview.format)))) > 15)
    }

    @Test("A level beyond the stored ones is made from the last; a file with too few is decoded")
    func missingLevels() async throws {
        var options = EncodingOptions(isLossless: true)
        options.jpeg2000.levelCount = 1
        let tiled = try await TiledImage(Self.file(tile: PixelSize(width: 256, height: 256), options))
        #expect(tiled.access == .stored)
        let last = try await tiled.tile(TileAddress(level: 3, column: 0, row: 0)).bitmap()
        let expected = try Bitmap.grainy(Self.size).resampled(to: last.size, filter: .area)
        #expect((try #require(last.noise(against: expected))) > 18)
        let small = try ImageDestination(format: .jpeg2000).encode(Bitmap.grainy(PixelSize(width: 300, height: 200)))
        #expect(try await TiledImage(small).access == .decoded)
    }

    @Test("A truncated file has its tiles as far as they go")
    func truncated() async throws {
        let file = try Self.file(tile: PixelSize(width: 256, height: 256))
        let tiled = try await TiledImage(Array(file.prefix(file.count / 2)))
        let first = try await tiled.tile(TileAddress(level: 0, column: 0, row: 0)).bitmap()
        let whole = try ImageSource.decode(file).bitmap
        #expect(
            first.tightBytes() == (try whole.cropped(to: PixelRect(x: 0, y: 0, width: 256, height: 256)).tightBytes()))
        let address = TileAddress(level: 0, column: 5, row: 4)
        await #expect(throws: ImageError.self) { try await tiled.tile(address) }
    }
}
#endif
