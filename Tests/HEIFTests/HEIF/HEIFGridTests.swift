#if HEIF
import ImageFormats
import ImageFormatsTestSupport
import Raster
import SamplePictures
import Testing
import TestSupport

/// Pictures of tiles, as phones store theirs: decoded a row of tiles at a time.
@Suite("HEIF: grids", .enabled(if: HEIFCodec().canEncode, "libheif has no encoder for HEVC"))
struct HEIFGridTests {
    /// Five by four tiles of 64 pixels, of which the last column and the last row are needed in part.
    private static let size = PixelSize(width: 290, height: 230)
    private static let columns = 5

    /// The picture that the tiles make, and the tiles.
    private static func picture(_ format: PixelFormat = .rgba8, quality: Double? = nil) throws -> (
        bitmap: Bitmap, tiles: [HEIFFixture.Coded]
    ) {
        let whole = try SamplePicture.valley.makeBitmap(size: PixelSize(width: 320, height: 256))
            .converted(to: format, alpha: AlphaMode.none)
        let tiles = try (0..<20).map { index in
            try HEIFFixture.Coded(
                whole.cropped(
                    to: PixelRect(x: index % columns * 64, y: index / columns * 64, width: 64, height: 64)),
                quality: quality)
        }
        return (try whole.cropped(to: PixelRect(x: 0, y: 0, width: size.width, height: size.height)), tiles)
    }

    private static let color = Result { try picture() }

    static let turns: [([[UInt8]], Orientation)] = [
        ([], .up), ([HEIFFixture.box("irot", [1])], .left), ([HEIFFixture.box("irot", [2])], .down),
        ([HEIFFixture.box("irot", [3])], .right), ([HEIFFixture.box("imir", [0])], .downMirrored),
        ([HEIFFixture.box("imir", [1])], .upMirrored),
        ([HEIFFixture.box("irot", [1]), HEIFFixture.box("imir", [0])], .leftMirrored),
        ([HEIFFixture.box("irot", [1]), HEIFFixture.box("imir", [1])], .rightMirrored),
    ]

    @Test("Every orientation gives libheif's image, made of the tiles", arguments: turns)
    func orientations(transforms: [[UInt8]], orientation: Orientation) throws {
        let (bitmap, tiles) = try Self.color.get()
        let file = HEIFFixture(grid: tiles, columns: Self.columns, size: Self.size, transforms: transforms).bytes
        let decoded = try HEIFCodecTests.decode(file)
        #expect(decoded.error == nil && decoded.header.metadata.orientation == .up)
        let expected = try bitmap.oriented(by: orientation)
        #expect(decoded.header.size == expected.size)
        #expect(decoded.bitmap.tightBytes() == expected.tightBytes())

        // Across tiles, within one, and the last pixel.
        for region in [
            PixelRect(x: 30, y: 50, width: 150, height: 100), PixelRect(x: 70, y: 66, width: 10, height: 5),
            PixelRect(x: expected.width - 1, y: expected.height - 1, width: 1, height: 1),
        ] {
            #expect(try HEIFCodecTests.part(region, of: file).tightBytes() == expected.cropped(to: region).tightBytes())
        }

        guard HEIFCorpusTests.converter.isInstalled else { return }
        let folder = try TemporaryFolder()
        let path = try folder.write(file, to: "grid.heic")
        #expect(try HEIFCorpusTests.converter.run([path, folder.file("grid.png")]))
        let theirs = try ImageSource.decode(folder.read("grid.png"), options: DecodingOptions(color: .asStored))
        #expect(decoded.bitmap.largestDifference(from: theirs.bitmap) == 0)
    }

    @Test("The number of threads doesn't change the pixels or the error")
    func threads() throws {
        let (bitmap, tiles) = try Self.color.get()
        let file = HEIFFixture(grid: tiles, columns: Self.columns, size: Self.size).bytes
        for count in [1, 2, 64] {
            let decoded = try ProcessorShare.$processorCount.withValue(count) { try HEIFCodecTests.decode(file) }
            #expect(decoded.bitmap.tightBytes() == bitmap.tightBytes())
            let damaged = Array(file.dropLast(file.count / 3))
            let part = ProcessorShare.$processorCount.withValue(count) { try? HEIFCodecTests.decode(damaged) }
            #expect(part == nil || part?.error != nil)
        }
    }

    @Test("A phone's 200 megapixels are within the default limits, a row of tiles at a time")
    func large() throws {
        let tile = try HEIFFixture.Coded(SamplePicture.valley.makeBitmap(size: PixelSize(width: 512, height: 512)))
        let size = PixelSize(width: 16320, height: 12240)
        let file = HEIFFixture(grid: Array(repeating: tile, count: 32 * 24), columns: 32, size: size).bytes
        let source = try ImageRowSource(Source(file), registry: HEIFCodecTests.registry)
        #expect(source.header.size == size)
        let expected = try ImageSource.decode(
            file, plan: DecodingPlan(region: PixelRect(x: 0, y: 0, width: 512, height: 3)),
            registry: HEIFCodecTests.registry
        ).bitmap
        var info = source.info
        info.size.height = 3
        var rows = try MutableBitmap(info)
        try rows.withMutableRows(0..<3) { (rows) throws(ImageError) in
            let count = try source.read(into: &rows)
            #expect(count == 3)
        }
        // Every tile is the same.
        let read = rows.freeze()
        for x in [0, 512, 15 * 512] {
            let part = PixelRect(x: x, y: 0, width: 480, height: 3)
            let same = PixelRect(x: 0, y: 0, width: 480, height: 3)
            #expect(try read.cropped(to: part).tightBytes() == expected.cropped(to: same).tightBytes())
        }
    }

    @Test("Grey and deep tiles decode too", arguments: [PixelFormat.gray8, .rgba16, .gray16])
    func kinds(format: PixelFormat) throws {
        let (bitmap, tiles) = try Self.picture(format, quality: format.bitsPerChannel == 8 ? nil : 1)
        let file = HEIFFixture(grid: tiles, columns: Self.columns, size: Self.size).bytes
        let options = DecodingOptions(color: .asStored, maximumBitsPerChannel: 16)
        let decoded = try HEIFCodecTests.decode(file, options).bitmap
        #expect(decoded.info.format == format && decoded.size == bitmap.size)
        if format == .gray8 { #expect(decoded.tightBytes() == bitmap.tightBytes()) }
        #expect(try #require(decoded.noise(against: bitmap)) > 45)
    }

    @Test("Memory is bounded by a row of tiles, upright or rotated")
    func memory() throws {
        let (bitmap, tiles) = try Self.color.get()
        var options = DecodingOptions(color: .asStored)
        // Twice a row of tiles of four bytes a pixel, and a tile; or the coded tiles. All at once takes 8 bytes a pixel.
        let coded = tiles.reduce(100) { $0 + $1.data.count }
        options.limits.maximumWorkingByteCount = max(2 * 290 * 64 * 4 + 12 * 64 * 64, coded)
        try #require(options.limits.maximumWorkingByteCount < 8 * Self.size.pixelCount)
        for (transforms, orientation) in Self.turns {
            let file = HEIFFixture(grid: tiles, columns: Self.columns, size: Self.size, transforms: transforms).bytes
            let decoded = try HEIFCodecTests.decode(file, options)
            #expect(decoded.error == nil)
            #expect(try decoded.bitmap.tightBytes() == bitmap.oriented(by: orientation).tightBytes())
        }
        options.limits.maximumWorkingByteCount = 60_000
        let file = HEIFFixture(grid: tiles, columns: Self.columns, size: Self.size).bytes
        let refused = try? HEIFCodecTests.decode(file, options)
        #expect(refused == nil || refused?.error?.code == .limitExceeded)
    }

    @Test("Tiles outside a region aren't decoded, and a damaged one keeps the rows above it")
    func damage() throws {
        var (bitmap, tiles) = try Self.color.get()
        for index in 10..<20 { tiles[index].data = Array(tiles[index].data.prefix(9)) }
        let file = HEIFFixture(grid: tiles, columns: Self.columns, size: Self.size).bytes
        let options = DecodingOptions(color: .asStored)
        let region = PixelRect(x: 10, y: 10, width: 200, height: 118)
        #expect(
            try HEIFCodecTests.part(region, of: file, options).tightBytes() == bitmap.cropped(to: region).tightBytes())
        let session = DecoderSession(HEIFCodec(), file)
        #expect(session.error != nil && session.rows == 128)
        bitmap = try bitmap.cropped(to: PixelRect(x: 0, y: 0, width: Self.size.width, height: 128))
        let there = session.bitmap?.tightBytes().prefix(bitmap.tightBytes().count)
        #expect(there.map(Array.init) == bitmap.tightBytes())
    }

    @Test("Other grids are left to libheif, and invalid ones are refused")
    func others() throws {
        let (bitmap, tiles) = try Self.color.get()
        // Tiles that don't cover the picture, and a tile too few.
        for (count, size) in [(20, PixelSize(width: 400, height: 230)), (15, Self.size)] {
            let file = HEIFFixture(grid: Array(tiles.prefix(count)), columns: Self.columns, size: size).bytes
            let decoded = try? HEIFCodecTests.decode(file)
            #expect(decoded == nil || decoded!.error != nil || decoded!.bitmap.size == size)
        }
        // A crop: width, height and offsets as fractions.
        let crop = HEIFFixture.box(
            "clap", [100, 1, 60, 1, 0, 1, 0, 1].flatMap { HEIFFixture.number($0, 4) })
        let file = HEIFFixture(grid: tiles, columns: Self.columns, size: Self.size, transforms: [crop]).bytes
        let decoded = try HEIFCodecTests.decode(file)
        let middle = PixelRect(x: 95, y: 85, width: 100, height: 60)
        #expect(try decoded.bitmap.tightBytes() == bitmap.cropped(to: middle).tightBytes())
    }

    @Test("Associations in two boxes of one version are read", arguments: [2, 3])
    func associations(boxes: Int) throws {
        let (bitmap, tiles) = try Self.color.get()
        var fixture = HEIFFixture(grid: tiles, columns: Self.columns, size: Self.size)
        fixture.associationBoxes = boxes
        let decoded = try HEIFCodecTests.decode(fixture.bytes)
        #expect(decoded.error == nil && decoded.bitmap.tightBytes() == bitmap.tightBytes())
        // Cut within the second box, there is one left.
        var cut = fixture.bytes
        let second = try #require(cut.ranges(of: Array("ipma".utf8)).dropFirst().first)
        cut[second.lowerBound - 1] = 255
        #expect((try? HEIFCodecTests.decode(cut))?.bitmap.tightBytes() != bitmap.tightBytes())
    }
}
#endif
