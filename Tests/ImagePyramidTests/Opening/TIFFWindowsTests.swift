#if TIFF
import Foundation
import ImageFormats
import ImageFormatsTestSupport
import ImagePyramid
import Raster
import TestSupport
import Testing

@Suite("A tiled TIFF file in place", .enabled(if: CommandLineTool("vips").isInstalled, "vips isn't installed"))
struct TIFFWindowsTests {
    /// A pyramid that vips wrote, and its picture.
    private func pyramid(
        _ folder: TemporaryFolder, _ options: [String] = [], size: PixelSize = PixelSize(width: 701, height: 433)
    ) throws -> (path: String, picture: Bitmap) {
        let picture = try Bitmap.grainy(size)
        let png = try folder.write(ImageDestination(format: .png).encode(picture), to: "picture.png")
        let path = folder.file("picture.tif")
        let arguments = ["tiffsave", png, path, "--tile", "--tile-width", "128", "--tile-height", "128", "--pyramid"]
        try #require(try CommandLineTool("vips").run(arguments + options))
        return (path, picture)
    }

    @Test("Tiles are the page's and its levels'", arguments: [[], ["--bigtiff", "--subifd"]])
    func tiles(options: [String]) async throws {
        let folder = try TemporaryFolder()
        let (path, picture) = try pyramid(folder, options)
        let tiled = try await TiledImage(contentsOf: path)
        #expect(tiled.access == .stored)
        for (index, size) in tiled.levels.enumerated() {
            let whole = try await tiled.region(PixelRect(tiled.size), size: size)
            let expected = try picture.resampled(to: size, filter: .area)
            #expect(try #require(whole.noise(against: expected)) > (index == 0 ? 200 : 24))
        }
        let address = TileAddress(level: 0, column: 2, row: 1)
        let tile = try await tiled.tile(address).bitmap()
        #expect(try tile.tightBytes() == picture.cropped(to: tiled.geometry.rect(of: address)).tightBytes())
    }

    @Test("Several tasks read at once")
    func concurrent() async throws {
        let folder = try TemporaryFolder()
        let (path, picture) = try pyramid(folder)
        let tiled = try await TiledImage(contentsOf: path, options: TiledImage.Options(tileSize: 64))
        // The file stays open, and nobody looks for it by its name again.
        try FileManager.default.removeItem(atPath: path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for row in 0..<tiled.geometry.rowCount(0) {
                for column in 0..<tiled.geometry.columnCount(0) {
                    group.addTask {
                        let address = TileAddress(level: 0, column: column, row: row)
                        let tile = try await tiled.tile(address).bitmap()
                        let rect = tiled.geometry.rect(of: address)
                        #expect(try tile.tightBytes() == picture.cropped(to: rect).tightBytes())
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("Strips without levels are decoded once")
    func strips() async throws {
        let folder = try TemporaryFolder()
        let picture = try Bitmap.grainy(PixelSize(width: 700, height: 300))
        let path = try folder.write(ImageDestination(format: .tiff).encode(picture), to: "picture.tif")
        let tiled = try await TiledImage(contentsOf: path)
        #expect(tiled.access == .decoded)
        let tile = try await tiled.tile(TileAddress(level: 0, column: 1, row: 1)).bitmap()
        #expect(
            try tile.tightBytes()
                == picture.cropped(to: PixelRect(x: 256, y: 256, width: 256, height: 44)).tightBytes())
    }
}
#endif
