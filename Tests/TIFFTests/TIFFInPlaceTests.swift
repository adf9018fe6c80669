#if TIFF
import Foundation
import ImageFormats
import ImageFormatsTestSupport
import Raster
import TestSupport
import Testing

@Suite("TIFF: reading in place", .enabled(if: Vips.tool.isInstalled, "vips isn't installed"))
struct TIFFInPlaceTests {
    /// A picture with odd sides as a TIFF file that vips wrote with `options`.
    private func file(_ folder: TemporaryFolder, _ options: [String]) throws -> String {
        let png = try folder.write(ImageDestination(format: .png).encode(Self.picture()), to: "picture.png")
        let path = folder.file("picture.tif")
        try #require(try Vips.tool.run(["tiffsave", png, path] + options))
        return path
    }

    private static func picture() throws -> Bitmap {
        var bitmap = try MutableBitmap(BitmapInfo(size: PixelSize(width: 333, height: 217), format: .rgba8))
        bitmap.withMutableRows(0..<217) { rows in
            for y in 0..<217 {
                var row = rows.row(y, as: RGBA8.self)
                for x in 0..<333 { row[x] = RGBA8(UInt8(x & 255), UInt8(y), UInt8((x * y) & 255)) }
            }
        }
        return bitmap.freeze()
    }

    @Test(
        "A file decodes to the same pixels as its bytes in memory",
        arguments: [
            [], ["--compression", "deflate"], ["--tile", "--tile-width", "64", "--tile-height", "64"],
            ["--compression", "lzw", "--bigtiff"],
            ["--compression", "jpeg", "--Q", "90", "--tile", "--tile-width", "64", "--tile-height", "64", "--pyramid"],
        ])
    func sameAsInMemory(options: [String]) throws {
        let folder = try TemporaryFolder()
        let path = try file(folder, options)
        let inMemory = try ImageSource.decode(folder.read("picture.tif"))
        #expect(inMemory.error == nil)
        for plan in [
            DecodingPlan.full, DecodingPlan(region: PixelRect(x: 100, y: 50, width: 77, height: 93)),
            DecodingPlan(targetSize: PixelSize(width: 83, height: 54)),
        ] {
            let rows = try ImageRowSource(Source(path: path), plan: plan)
            let memoryRows = try ImageRowSource(
                Source(folder.read("picture.tif")), plan: plan)
            let (placed, expected) = (try rows.makeBitmap(), try memoryRows.makeBitmap())
            #expect(placed.info == expected.info)
            #expect(placed.tightBytes() == expected.tightBytes())
        }
    }

    @Test("Windows of levels have the levels' pixels")
    func levels() throws {
        let folder = try TemporaryFolder()
        let path = try file(folder, ["--tile", "--tile-width", "32", "--tile-height", "32", "--pyramid"])
        let reader = try TIFFLevelReader(Source(path: path))
        #expect(reader.isTiled)
        #expect(reader.sizes.count > 2)
        for (index, size) in reader.sizes.enumerated() {
            let whole = try reader.window(PixelRect(size), level: index)
            let page = try ImageSource.decode(
                folder.read("picture.tif"), options: DecodingOptions(imageIndex: index))
            #expect(whole.tightBytes() == page.bitmap.tightBytes())
            let part = PixelRect(x: size.width / 3, y: size.height / 2, width: size.width / 2, height: size.height / 3)
            #expect(try reader.window(part, level: index).tightBytes() == whole.cropped(to: part).tightBytes())
        }
        let outside = #expect(throws: ImageError.self) {
            try reader.window(PixelRect(x: 1, y: 0, width: 333, height: 1), level: 0)
        }
        #expect(outside?.code == .invalidParameter)
    }

    @Test("A file truncated while it is open gives its rows and an error")
    func shortened() throws {
        let folder = try TemporaryFolder()
        let path = try file(folder, [])
        let rows = try ImageRowSource(Source(path: path))
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.truncate(atOffset: 333 * 3 * 100)
        #expect(throws: ImageError.self) { try rows.makeBitmap() }
        #expect(throws: ImageError.self) { try ImageRowSource(Source(path: path)).makeBitmap() }
    }
}
#endif
