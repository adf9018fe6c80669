import Foundation
import Raster
import Tessera
import TestSupport
import Testing

/// High dynamic range, from file to file.
@Suite("tessera: dynamic range")
struct ConvertDynamicRangeTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let map = try Pictures.photograph().resampled(to: PixelSize(width: 30, height: 20)).converted(to: .gray8)
        let metadata = GainMapMetadata(.init(minimum: 0, maximum: 2.5), alternateHeadroom: 2.5)
        let image = Image(try Pictures.photograph()).withGainMap(GainMap(Image(map), metadata))
        try folder.write(image.data(as: .jpeg, quality: 0.95), to: "photo.jpg")
    }

    private func run(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
        let outcome = try Command.run(arguments, in: folder)
        return (outcome.status, outcome.text, outcome.errors)
    }

    private func isHigh(_ name: String) throws -> Bool {
        try ImageSource.header(of: folder.read(name)).profile.isHighDynamicRange
    }

    @Test("From a gain map to PQ, to standard range, and back to a gain map")
    func ways() throws {
        let high = try run("convert", "photo.jpg", "high.png", "--dynamic-range", "high", "--headroom", "4")
        #expect(high.status == 0 && high.errors == "", "\(high.errors)")
        #expect(try isHigh("high.png"))
        #expect(try run("info", "high.png").output.contains("PQ, BT.2020"))
        #expect(try run("convert", "high.png", "standard.png").status == 0)
        #expect(try !isHigh("standard.png"))
        #expect(try run("convert", "high.png", "stored.png", "--dynamic-range", "stored").status == 0)
        #expect(try isHigh("stored.png"))
        for arguments in [["--gain-map", "regenerate"], ["--dynamic-range", "high"]] {
            let made = try Command.run(["convert", "high.png", "made.jpg", "--force"] + arguments, in: folder)
            #expect(made.status == 0 && made.errors == "", "\(made.errors)")
            #expect(try Image(data: folder.read("made.jpg")).gainMap != nil)
        }
        #expect(try run("convert", "high.png", "plain.jpg").status == 0)
        #expect(try Image(data: folder.read("plain.jpg")).gainMap == nil)
    }

    @Test("A base in high dynamic range becomes the standard rendition that its map leads to")
    func highBase() throws {
        guard CodecRegistry.default.canEncode(.avif) else { return }
        let photo = try Image(data: folder.read("photo.jpg"))
        var map = try #require(photo.gainMap)
        (map.metadata.baseHeadroom, map.metadata.alternateHeadroom) = (map.metadata.alternateHeadroom, 0)
        (map.metadata.usesBaseColorSpace, map.alternateProfile) = (false, .sRGB)
        let high = try photo.rendered(for: .high(headroom: .infinity)).withGainMap(map)
        try folder.write(high.data(as: .avif, quality: 0.95), to: "high.avif")
        let expected = try Image(data: folder.read("high.avif")).rendered(for: .standard).bitmap()
        #expect(try run("convert", "high.avif", "standard.png").status == 0)
        #expect(try Self.difference(Image(data: folder.read("standard.png")).bitmap(), expected) <= 1)
        #expect(try run("effect", "high.avif", "turned.png", "--rotate", "180").status == 0)
        let turned = try Image(data: folder.read("turned.png")).bitmap().oriented(by: .down)
        #expect(try Self.difference(turned, expected) <= 1)
        // The base of a JPEG with a new map is that rendition too.
        let made = try run("convert", "high.avif", "made.jpg", "--dynamic-range", "high", "--quality", "0.98")
        #expect(made.status == 0 && made.errors == "", "\(made.errors)")
        let jpeg = try Image(data: folder.read("made.jpg"))
        #expect(jpeg.gainMap != nil)
        #expect(try Self.difference(jpeg.bitmap(), expected) < 24)
    }

    /// The largest difference of green of 8 bits; 255 for other sizes.
    private static func difference(_ first: Bitmap, _ second: Bitmap) throws -> Int {
        let (first, second) = (try first.converted(to: .rgba8), try second.converted(to: .rgba8))
        guard first.size == second.size else { return 255 }
        var largest = 0
        for y in 0..<first.height {
            let row = first.rows.row(y, as: RGBA8.self)
            let other = second.rows.row(y, as: RGBA8.self)
            for x in row.indices { largest = max(largest, abs(Int(row[x].green) - Int(other[x].green))) }
        }
        return largest
    }

    @Test("Formats that can't hold a high range say so, and options that make no sense")
    func refusals() throws {
        #expect(try run("convert", "photo.jpg", "high.png", "--dynamic-range", "high").status == 0)
        let refused = try run("convert", "high.png", "a.webp", "--dynamic-range", "high")
        #expect(refused.status == 1 && refused.errors.contains("high dynamic range"), "\(refused.errors)")
        #expect(try run("convert", "photo.jpg", "a.png", "--headroom", "4").status == 64)
        #expect(try run("convert", "photo.jpg", "a.png", "--dynamic-range", "high", "--headroom", "0.5").status == 64)
    }

    @Test("Effects on colours keep the gains if asked")
    func effects() throws {
        let kept = try run("effect", "photo.jpg", "a.jpg", "--sepia", "1", "--gain-map", "regenerate")
        #expect(kept.status == 0 && kept.errors == "", "\(kept.errors)")
        #expect(try Image(data: folder.read("a.jpg")).gainMap != nil)
        #expect(try run("effect", "photo.jpg", "b.jpg", "--blur", "2", "--gain-map", "regenerate").status == 0)
        #expect(try Image(data: folder.read("b.jpg")).gainMap == nil)
    }
}
