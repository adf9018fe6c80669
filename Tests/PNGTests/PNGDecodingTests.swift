import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("PNG decoding")
struct PNGDecodingTests {
    /// Every colour type and depth, plain and interlaced, with and without tRNS, at sizes that leave odd ends.
    static let table: [PNGFixture] = [
        (0, [1, 2, 4, 8, 16]), (2, [8, 16]), (3, [1, 2, 4, 8]), (4, [8, 16]), (6, [8, 16]),
    ].flatMap { (colorType: Int, depths: [Int]) -> [PNGFixture] in
        depths.flatMap { depth -> [PNGFixture] in
            [(1, 1), (2, 3), (3, 9), (4, 4), (5, 2), (7, 8), (8, 1), (19, 33), (64, 40)].flatMap { (width, height) in
                [false, true].flatMap { interlaced in
                    (colorType < 4 ? [false, true] : [false]).map { keyed in
                        PNGFixture(
                            width, height, colorType: colorType, bitDepth: depth, isInterlaced: interlaced,
                            isKeyed: keyed)
                    }
                }
            }
        }
    }

    @Test("Every pixel format decodes to libpng's samples", arguments: table)
    func samples(fixture: PNGFixture) throws {
        let file = fixture.bytes
        let oracle = try #require(LibPNG.decode(file))
        #expect(oracle.samples == fixture.expected)
        let session = DecoderSession(png: file)
        #expect(session.isComplete && session.error == nil, "\(String(describing: session.error))")
        let bitmap = try #require(session.bitmap)
        #expect(bitmap.samples16 == oracle.samples)

        let isGray = fixture.colorType == 0 && fixture.transparency.isEmpty
        #expect(bitmap.format.isGray == isGray)
        #expect(bitmap.format.bitsPerChannel == (fixture.bitDepth == 16 ? 16 : 8))
        #expect(session.header?.bitsPerChannel == fixture.bitDepth)
        #expect(session.header?.isProgressive == fixture.isInterlaced)
        #expect(session.header?.hasAlpha == bitmap.alpha.hasAlpha)

        let reduced = try #require(DecoderSession(png: file, bits: 8).bitmap)
        #expect(reduced.format.bitsPerChannel == 8)
        #expect(reduced.samples16 == oracle.samples.atEightBits.map { $0 * 257 })
    }

    @Test("An image large enough for two threads decodes the same", arguments: [(0, 8), (2, 8), (3, 8), (6, 16)])
    func large(colorType: Int, bitDepth: Int) throws {
        // Several strips on both sides of the handoff, the rows no whole number of any of them.
        let fixture = PNGFixture(1013, colorType == 6 ? 300 : 1500, colorType: colorType, bitDepth: bitDepth)
        let session = DecoderSession(png: fixture.bytes)
        #expect(session.error == nil)
        #expect(session.bitmap?.samples16 == fixture.expected)
        // The same, cut in the middle: what is there is right.
        let cut = Array(fixture.bytes.prefix(fixture.bytes.count * 2 / 3))
        let part = DecoderSession(png: cut)
        #expect(part.error?.code == .truncated)
        #expect(part.rows > 0 && part.rows < fixture.height)
        #expect(part.bitmap?.samples16 == Array(fixture.expected.prefix(part.rows * fixture.width * 4)))
    }

    @Test("Any split gives the same image", arguments: [0, 2, 3, 4, 6], [false, true])
    func splits(colorType: Int, isInterlaced: Bool) throws {
        for depth in colorType == 3 ? [2, 8] : [8, 16] {
            let fixture = PNGFixture(
                15, 13, colorType: colorType, bitDepth: depth, isInterlaced: isInterlaced, isKeyed: colorType < 4)
            let file = fixture.bytes
            let header = DecoderSession(png: file).header
            for split in 1..<min(file.count, 4096) {
                let session = DecoderSession(png: file, splits: [split])
                #expect(session.isComplete && session.error == nil && session.header == header, "split at \(split)")
                #expect(session.bitmap?.samples16 == fixture.expected, "split at \(split)")
            }
            let single = DecoderSession(png: file, splits: Array(1..<file.count), delivery: .every)
            #expect(single.bitmap?.samples16 == fixture.expected)
        }
    }

    @Test("Rows come with their bytes")
    func incremental() throws {
        let fixture = PNGFixture(40, 40, colorType: 2, bitDepth: 8)
        let file = fixture.bytes
        let decoder = try PNGCodec().makeDecoder(
            for: FormatProbe(whole: file.span.bytes), options: DecodingOptions(color: .asStored))
        try decoder.append(file.span.bytes.extracting(first: file.count / 2))
        var bitmap = try MutableBitmap(try decoder.start(.full, delivery: .last))
        var rows = bitmap.mutableRows
        guard case .rows(let count) = try decoder.read(into: &rows) else {
            Issue.record("no rows from half a file")
            return
        }
        #expect(count > 10 && count < 25)
        #expect(try decoder.read(into: &rows) == .needMoreData)
    }

    @Test("An interlaced image comes pass by pass")
    func passes() throws {
        let fixture = PNGFixture(21, 18, colorType: 6, bitDepth: 8, isInterlaced: true)
        let file = fixture.bytes
        let session = DecoderSession(png: file, delivery: .every)
        // The last pass ends the picture.
        #expect(session.passes == [1, 2, 3, 4, 5, 6])
        #expect(session.bitmap?.samples16 == fixture.expected)
        // After the first pass each pixel stands for eight by eight.
        let first = try #require(session.passBitmaps.first)
        for y in 0..<first.height {
            for x in 0..<first.width {
                let corner = first.rows.row(y & ~7, as: RGBA8.self)[x & ~7]
                #expect(first.rows.row(y, as: RGBA8.self)[x] == corner)
            }
        }
        // Passes that a small picture doesn't have are not delivered.
        let tiny = DecoderSession(
            png: PNGFixture(1, 1, colorType: 0, bitDepth: 8, isInterlaced: true).bytes, delivery: .every)
        #expect(tiny.passes.isEmpty && tiny.isComplete && tiny.rows == 1)
    }

    @Test("A region is the same part of the whole", arguments: [false, true])
    func region(isInterlaced: Bool) throws {
        for colorType in [0, 3, 6] {
            let fixture = PNGFixture(31, 27, colorType: colorType, bitDepth: 8, isInterlaced: isInterlaced)
            let whole = try #require(DecoderSession(png: fixture.bytes).bitmap)
            for region in [
                PixelRect(x: 0, y: 0, width: 31, height: 5), PixelRect(x: 3, y: 20, width: 28, height: 7),
                PixelRect(x: 30, y: 26, width: 1, height: 1),
            ] {
                let session = DecoderSession(png: fixture.bytes, plan: DecodingPlan(region: region))
                #expect(session.isComplete)
                #expect(try session.bitmap?.tightBytes() == whole.cropped(to: region).tightBytes())
            }
        }
    }
}
