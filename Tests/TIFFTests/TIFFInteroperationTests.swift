#if TIFF
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

/// Files that other programs write.
@Suite("TIFF: other programs", .needs(Vips.tool))
struct TIFFInteroperationTests {
    static let options: [(String, isLossless: Bool)] = [
        ("--compression none --bigtiff", true), ("--compression lzw --predictor horizontal", true),
        ("--compression deflate --tile --tile-width 32 --tile-height 16", true), ("--compression packbits", true),
        ("--compression zstd --predictor horizontal --bigtiff", true), ("--compression webp --lossless", true),
        ("--compression jpeg --Q 90", false), ("--compression jpeg --tile --tile-width 32 --tile-height 32", false),
    ]

    @Test("libvips's files have libvips's pixels", arguments: options)
    func pixels(arguments: String, isLossless: Bool) throws {
        let folder = try TemporaryFolder()
        let bitmap = try TIFFEncodingTests.picture(.rgba8, .none)
        let source = try folder.write(
            try TIFFEncodingTests.encode(bitmap, EncodingOptions(tiff: .init(compression: .none))), to: "source.tiff")
        let target = folder.file("target.tiff")
        let isWritten = try Vips.tool.run(
            ["tiffsave", source, target] + arguments.split(separator: " ").map(String.init))
        try #require(isWritten)
        let decoded = try TIFFFixture.bitmap(try folder.read("target.tiff"))
        if isLossless { #expect(decoded.tightBytes() == bitmap.tightBytes()) }
        #expect(try Vips.decode(target)?.rgba16 == decoded.samples16)
    }

    @Test("The levels of libvips's pyramids are found", arguments: [[], ["--subifd"]])
    func pyramids(arguments: [String]) throws {
        let folder = try TemporaryFolder()
        let bitmap = try TIFFEncodingTests.picture(.rgba8, .none, width: 201, height: 130)
        let source = try folder.write(try TIFFEncodingTests.encode(bitmap), to: "source.tiff")
        let tiles = ["--tile", "--pyramid", "--tile-width", "32", "--tile-height", "32"]
        let isWritten = try Vips.tool.run(
            ["tiffsave", source, folder.file("target.tiff")] + tiles + arguments)
        try #require(isWritten)
        let file = try folder.read("target.tiff")
        for (target, width) in [(201, 201), (51, 201), (50, 100), (26, 100), (25, 50), (13, 50), (12, 25)] {
            let plan = DecodingPlan(targetSize: PixelSize(width: target, height: max(1, target * 16 / 25)))
            #expect(try TIFFFixture.bitmap(file, plan: plan).width == width)
        }
    }
}
#endif
