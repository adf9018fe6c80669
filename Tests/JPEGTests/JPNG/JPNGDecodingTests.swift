import Foundation
import ImageFormats
import ImageFormatsTestSupport
import JPNGContainer
import Raster
import SamplePictures
import Testing
import TestSupport

@Suite("JPNG: decoding")
struct JPNGDecodingTests {
    typealias Fixture = JPNGFixture
    static let samples = ProcessInfo.processInfo.environment["TESSERA_SAMPLES"]

    private func sample(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.samples! + "/jpng/" + name)))
    }

    @Test(
        "Real files have the alpha of their originals", .enabled(if: samples != nil, "TESSERA_SAMPLES is not set"),
        arguments: ["64x64", "Lake"])
    func realFilesHaveTheAlphaOfTheirOriginals(name: String) throws {
        let picture = try Fixture.decode(sample(name + ".jpng"))
        let original = try Fixture.decode(sample(name + ".png"))
        #expect(picture.error == nil)
        #expect(picture.header.format == .jpng)
        #expect(picture.bitmap.alpha == .straight)
        #expect(picture.bitmap.size == original.bitmap.size)
        #expect(Fixture.alpha(picture.bitmap) == Fixture.alpha(original.bitmap))
    }

    @Test("The lake has the colours of its original", .enabled(if: samples != nil, "TESSERA_SAMPLES is not set"))
    func lakeHasTheColorsOfItsOriginal() throws {
        let picture = try Fixture.decode(sample("Lake.jpng")).bitmap.pixels
        let original = try Fixture.decode(sample("Lake.png")).bitmap.pixels
        var (sum, count) = (0, 0)
        for (a, b) in zip(picture, original) where b.alpha == 255 {
            sum += abs(Int(a.red) - Int(b.red)) + abs(Int(a.green) - Int(b.green)) + abs(Int(a.blue) - Int(b.blue))
            count += 3
        }
        #expect(count > 10_000)
        #expect(Double(sum) / Double(count) <= 2.5)
    }

    @Test("Each part decodes as it does alone", arguments: [1, 2])
    func partsAreDecodedAsTheyWouldBeAlone(version: Int) throws {
        let file = try Fixture.encode(
            Fixture.cutout(83, 61), .jpng, EncodingOptions(jpng: EncodingOptions.JPNG(version: version)))
        let container = try Fixture.container(file)
        let color = try Fixture.decode(Array(file[container.colorRange]))
        let mask = try Fixture.decode(Array(file[container.maskRange]))
        let both = try Fixture.decode(file)
        #expect(both.error == nil)
        #expect(mask.bitmap.format == .gray8)
        #expect(Fixture.alpha(both.bitmap) == mask.bitmap.tightBytes())
        #expect(
            both.bitmap.pixels.map { RGBA8($0.red, $0.green, $0.blue) } == color.bitmap.pixels)
    }

    @Test("The header is known without decoding")
    func headersAreKnownWithoutDecoding() throws {
        let file = try Fixture.encode(Fixture.cutout())
        let header = try ImageSource.header(of: file, registry: .builtIn)
        #expect(header.format == .jpng)
        #expect(header.hasAlpha)
        #expect(header.storedSize == PixelSize(width: 96, height: 64))
        let image = try ImageSource.image(file, registry: .builtIn)
        #expect(image.hasAlpha)
        #expect(!image.isDecoded)
    }

    @Test("A grey colour part works")
    func aGrayColorPartWorks() throws {
        let gray = try Fixture.gray(40, 30) { x, y in UInt8(x * 4 + y) }
        let mask = try Fixture.gray(40, 30) { x, _ in UInt8(x * 6) }
        let color = try Fixture.encode(gray, .jpeg)
        let picture = try Fixture.decode(Fixture.join(color, Fixture.encode(mask, .png)))
        let alone = try Fixture.decode(color).bitmap.tightBytes()
        #expect(picture.error == nil)
        #expect(picture.bitmap.format == .rgba8)
        #expect(
            picture.bitmap.pixels
                == zip(alone, mask.tightBytes()).map { RGBA8($0, $0, $0, $1) })
    }

    @Test("A CMYK colour part works", .needsCorpus)
    func anInkColorPartWorks() throws {
        var found = 0
        for path in Corpus.files("valid/jpeg") {
            let color = try Corpus.bytes(path)
            guard let header = try? ImageSource.header(of: color, registry: .builtIn), header.colorModel == .cmyk,
                let alone = try? Fixture.decode(color), alone.error == nil
            else { continue }
            found += 1
            let mask = try Fixture.gray(9, 7) { _, _ in 77 }
            let picture = try Fixture.decode(Fixture.join(color, Fixture.encode(mask, .png)))
            #expect(picture.error == nil)
            #expect(
                picture.bitmap.pixels
                    == alone.bitmap.pixels.map { RGBA8($0.red, $0.green, $0.blue, 77) })
        }
        #expect(found > 0)
    }

    @Test("A coloured mask counts by its luma")
    func aColoredMaskCountsByItsBrightness() throws {
        let mask = try Fixture.color(32, 16, alpha: .none) { x, y in RGBA8(UInt8(x * 8), UInt8(y * 16), 90) }
        let color = try Fixture.encode(Fixture.cutout(32, 16), .jpeg)
        let picture = try Fixture.decode(Fixture.join(color, Fixture.encode(mask, .png)))
        let expected = mask.pixels.map { pixel -> UInt8 in
            let sum: Int = 77 * Int(pixel.red) + 150 * Int(pixel.green) + 29 * Int(pixel.blue)
            return UInt8((sum + 128) / 256)
        }
        #expect(Fixture.alpha(picture.bitmap) == expected)
    }

    @Test("A 16-bit mask is rounded to 8 bits")
    func aSixteenBitMaskIsRoundedToEight() throws {
        var bitmap = try MutableBitmap(BitmapInfo(size: PixelSize(width: 256, height: 1), format: .gray16))
        var rows = bitmap.mutableRows
        var row = rows.row(0, as: Gray16.self)
        for x in row.indices { row[x] = Gray16(UInt16(x * 257)) }
        let mask = try Fixture.encode(bitmap.freeze(), .png, EncodingOptions(png: .init(reducesColors: false)))
        let color = try Fixture.encode(Fixture.cutout(256, 1), .jpeg)
        let picture = try Fixture.decode(Fixture.join(color, mask), .full, DecodingOptions(maximumBitsPerChannel: 16))
        #expect(Fixture.alpha(picture.bitmap) == (0..<256).map { UInt8($0) })
    }

    @Test("Orientation rotates colours and mask together")
    func orientationTurnsColorAndMaskTogether() throws {
        // The top left quarter is red and opaque, the rest blue and clear.
        let bitmap = try Fixture.color(48, 32) { x, y in
            x < 24 && y < 16 ? RGBA8(220, 30, 30, 255) : RGBA8(30, 30, 220, 0)
        }
        let options = EncodingOptions(quality: 1, metadata: ImageMetadata(orientation: .right))
        let file = try Fixture.encode(bitmap, .jpng, options)
        let upright = try Fixture.decode(file)
        #expect(upright.header.metadata.orientation == .right)
        #expect(upright.bitmap.size == PixelSize(width: 32, height: 48))
        // Turned clockwise by 90°, the top left becomes the top right.
        for (x, y) in [(0, 0), (31, 0), (16, 23), (15, 10), (31, 24), (5, 47)] {
            let pixel = upright.bitmap.pixels[y * 32 + x]
            #expect(pixel.alpha == (x >= 16 && y < 24 ? 255 : 0), "at \(x), \(y)")
        }
        var untouched = Fixture.stored
        untouched.appliesOrientation = false
        #expect(try Fixture.decode(file, .full, untouched).bitmap.size == PixelSize(width: 48, height: 32))
    }

    @Test("A region is the same part of both")
    func aRegionIsTheSamePartOfBoth() throws {
        let file = try Fixture.encode(Fixture.cutout(120, 90))
        let whole = try Fixture.decode(file).bitmap
        let region = PixelRect(x: 33, y: 21, width: 50, height: 40)
        let part = try Fixture.decode(file, DecodingPlan(region: region))
        #expect(part.error == nil)
        #expect(part.bitmap.size == region.size)
        #expect(Fixture.alpha(part.bitmap) == Fixture.alpha(try whole.cropped(to: region)))
    }

    @Test(
        "A mask of another size is scaled to the image", arguments: [(40, 30), (160, 120), (320, 60), (79, 61), (1, 1)])
    func aMaskOfAnotherSizeIsScaledToThePicture(width: Int, height: Int) throws {
        // Opaque in the middle half both ways.
        let mask = try Fixture.gray(width, height) { x, y in
            let (u, v) = ((Double(x) + 0.5) / Double(width), (Double(y) + 0.5) / Double(height))
            return u > 0.25 && u < 0.75 && v > 0.25 && v < 0.75 ? 255 : 0
        }
        let color = try Fixture.encode(Fixture.cutout(80, 60), .jpeg)
        let file = try Fixture.join(color, Fixture.encode(mask, .png))
        let picture = try Fixture.decode(file)
        #expect(picture.error == nil)
        #expect(picture.bitmap.size == PixelSize(width: 80, height: 60))
        let alpha = Fixture.alpha(picture.bitmap)
        #expect(alpha[30 * 80 + 40] == 255)
        if width > 1 {
            #expect(alpha[0] == 0 && alpha[80 * 60 - 1] == 0 && alpha[30 * 80 + 5] == 0 && alpha[3 * 80 + 40] == 0)
            #expect(alpha[20 * 80 + 26] == 255 && alpha[39 * 80 + 54] == 255)
        }
        let region = PixelRect(x: 10, y: 8, width: 60, height: 44)
        let part = try Fixture.decode(file, DecodingPlan(region: region)).bitmap
        let expected = Fixture.alpha(try picture.bitmap.cropped(to: region))
        #expect(zip(Fixture.alpha(part), expected).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    }

    @Test("A small target scales the mask with the colours", arguments: [1, 2], [0, 1, 2])
    func aSmallTargetScalesTheMaskWithTheColors(version: Int, halvings: Int) throws {
        let bitmap = try Fixture.cutout(320, 200)
        let file = try Fixture.encode(
            bitmap, .jpng, EncodingOptions(jpng: EncodingOptions.JPNG(version: version, maskQuality: 1)))
        let target = PixelSize(width: 320 >> halvings, height: 200 >> halvings)
        let plan = DecodingPlan(targetSize: PixelSize(width: target.width / 2, height: target.height / 2))
        let small = try Fixture.decode(file, plan)
        #expect(small.error == nil)
        #expect(small.bitmap.size == target)
        let expected = Fixture.alpha(try bitmap.resampled(to: target, filter: .area))
        let worst = zip(Fixture.alpha(small.bitmap), expected).map { abs(Int($0) - Int($1)) }.max()!
        #expect(worst <= (version == 1 ? 1 : 8))
    }

    @Test("Alpha is snapped only on request", arguments: [0, 2, 3, 100, 252, 253, 255])
    func alphaSnapsOnlyWhenAsked(value: Int) throws {
        let color = try Fixture.encode(Fixture.cutout(16, 16), .jpeg)
        let file = try Fixture.join(color, Fixture.encode(Fixture.gray(16, 16) { _, _ in UInt8(value) }, .png))
        var options = Fixture.stored
        #expect(Set(Fixture.alpha(try Fixture.decode(file, .full, options).bitmap)) == [UInt8(value)])
        options.jpng.snapsAlpha = true
        let snapped = UInt8(value <= 2 ? 0 : value >= 253 ? 255 : value)
        #expect(Set(Fixture.alpha(try Fixture.decode(file, .full, options).bitmap)) == [snapped])
    }

    @Test("Flattening on white is repaired only on request")
    func whiteFlatteningIsRepairedOnlyWhenAsked() throws {
        // What the original's release 1.2 stored for the colour (100, 150, 50) at an alpha of 200.
        let flattened = try Fixture.color(16, 16, alpha: .none) { _, _ in RGBA8(155, 205, 105) }
        let color = try Fixture.encode(flattened, .jpeg, EncodingOptions(quality: 1))
        let file = try Fixture.join(color, Fixture.encode(Fixture.gray(16, 16) { _, _ in 200 }, .png))
        var options = Fixture.stored
        let stored = try #require(Fixture.decode(file, .full, options).bitmap.pixels.first)
        #expect(abs(Int(stored.green) - 205) <= 2)
        options.jpng.repairsWhiteFlattening = true
        let repaired = try #require(Fixture.decode(file, .full, options).bitmap.pixels.first)
        for (value, wanted) in [(repaired.red, 100), (repaired.green, 150), (repaired.blue, 50)] {
            #expect(abs(Int(value) - wanted) <= 2)
        }
    }
}
