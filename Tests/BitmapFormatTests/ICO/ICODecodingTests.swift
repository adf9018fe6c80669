import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

/// Files made field by field, and the pixels that they must give.
@Suite("ICO decoding")
struct ICODecodingTests {
    static let fixtures: [BMPFixture] = [
        .indexed(1), .indexed(4), .indexed(8), .indexed(8, width: 33, height: 40), .direct(16), .direct(24),
    ]

    @Test(
        "The mask decides transparency for any split", arguments: fixtures.indices, [ImageFormat.ico, .cur])
    func masks(index: Int, format: ImageFormat) {
        let fixture = Self.fixtures[index]
        let mask = ICOFixture.mask(fixture.width * fixture.height)
        let picture = ICOFixture.Picture(
            width: fixture.width, height: fixture.height, data: ICOFixture.bitmap(fixture, mask: mask), fields: (3, 2))
        let file = ICOFixture.file(format == .ico ? 1 : 2, [picture])
        let expected = zip(fixture.expected, mask).map { RGBA8($0.red, $0.green, $0.blue, $1 ? 0 : 255) }
        for round in 0..<3 {
            let session = DecoderSession(
                ICOCodec(format), file, splits: DecoderSession.splits(of: file.count, round: round))
            #expect(session.error == nil && session.isComplete)
            #expect(session.bitmap?.pixels == expected)
            #expect(session.header?.format == format)
            #expect(session.header?.sequence == nil)
            #expect(
                session.header?.metadata.hotSpot == (format == .cur ? ImageMetadata.Point(x: 3, y: 2) : nil))
        }
        let plan = DecodingPlan(region: PixelRect(x: 2, y: 1, width: 9, height: 3))
        let wanted = (1..<4).flatMap { y in (2..<11).map { expected[y * fixture.width + $0] } }
        #expect(DecoderSession(ICOCodec(format), file, plan: plan).bitmap?.pixels == wanted)
    }

    @Test("The alpha of 32-bit images applies unless it is all zeros")
    func alpha() {
        var fixture = BMPFixture.direct(32)
        let mask = ICOFixture.mask(fixture.pixels.count)
        func decoded() -> [RGBA8]? {
            let picture = ICOFixture.Picture(width: 21, height: 5, data: ICOFixture.bitmap(fixture, mask: mask))
            return DecoderSession(ICOCodec(), ICOFixture.file(1, [picture])).bitmap?.pixels
        }
        fixture.masks = [0xFF0000, 0xFF00, 0xFF, 0xFF00_0000]
        let expected = fixture.expected
        fixture.masks = []
        #expect(decoded() == expected)
        fixture.pixels = fixture.pixels.map { $0 & 0xFF_FFFF }
        #expect(decoded()?.map(\.alpha) == mask.map { $0 ? 0 : 255 })
    }

    @Test("A truncated mask leaves the rest opaque, and is reported", arguments: [ImageFormat.ico, .cur])
    func cutMask(format: ImageFormat) {
        let fixture = BMPFixture.direct(24)
        let mask = [Bool](repeating: true, count: 21 * 5)
        // Two rows of the mask from the bottom, of 4 bytes each.
        let data = Array(ICOFixture.bitmap(fixture, mask: mask).dropLast(12))
        let kind = format == .ico ? 1 : 2
        let session = DecoderSession(
            ICOCodec(format), ICOFixture.file(kind, [ICOFixture.Picture(width: 21, height: 5, data: data)]))
        #expect(session.error?.code == .truncated && session.rows == 5)
        #expect(session.bitmap?.pixels.map(\.alpha) == (0..<105).map { $0 < 63 ? 255 : 0 })
    }

    private static func sizes() throws -> [UInt8] {
        func picture(_ fixture: BMPFixture) -> ICOFixture.Picture {
            let mask = [Bool](repeating: false, count: fixture.width * fixture.height)
            return ICOFixture.Picture(
                width: fixture.width, height: fixture.height, data: ICOFixture.bitmap(fixture, mask: mask),
                fields: (0, 0))
        }
        let large = try Bitmap.grainy(PixelSize(width: 256, height: 256))
        let png = try ImageDestination(format: .png).encode(large)
        return ICOFixture.file(
            1,
            [
                picture(.indexed(4, width: 16, height: 16)), picture(.indexed(4, width: 32, height: 32)),
                picture(.indexed(8, width: 32, height: 32)),
                ICOFixture.Picture(width: 256, height: 256, data: png, fields: (1, 32)),
            ])
    }

    @Test("Every size is a page, and the largest and deepest is the image")
    func pages() throws {
        let file = try Self.sizes()
        let sides = [16, 32, 32, 256]
        for (index, side) in sides.enumerated() {
            let session = DecoderSession(
                ICOCodec(), file, options: DecodingOptions(color: .asStored, imageIndex: index))
            #expect(session.error == nil)
            #expect(session.header?.storedSize == PixelSize(width: side, height: side))
            #expect(session.bitmap?.size == PixelSize(width: side, height: side))
            #expect(session.header?.sequence == ImageSequence(.pages, count: 4))
        }
        let largest = DecoderSession(ICOCodec(), file)
        #expect(largest.bitmap?.pnmSamples == (try Bitmap.grainy(PixelSize(width: 256, height: 256)).pnmSamples))

        // Without the last one, the deeper of the two of 32 pixels, which the list doesn't tell apart.
        var fewer = file
        fewer[4] = 3
        let deepest = DecoderSession(ICOCodec(), fewer)
        #expect(deepest.header?.bitsPerChannel == 8)
        for index in [4, -1] {
            let options = DecodingOptions(imageIndex: index)
            #expect(DecoderSession(ICOCodec(), file, options: options).error?.code == .invalidParameter)
        }
    }

    @Test(
        "Among PNGs of one size the deepest is chosen, by their samples or by the directory's lower depth",
        arguments: [([4, 8, 32], 2), ([32, 8, 4], 0), ([0, 0, 0], 1)] as [([Int], Int)])
    func depths(listed: [Int], chosen: Int) throws {
        let size = PixelSize(width: 256, height: 256)
        let pictures = try listed.indices.map { index in
            var bitmap = try MutableBitmap(BitmapInfo(size: size, format: .rgba8, alpha: .straight))
            var rows = bitmap.mutableRows
            for y in 0..<256 {
                var row = rows.row(y, as: RGBA8.self)
                for x in 0..<256 { row[x] = RGBA8(UInt8(index), 0, 0) }
            }
            // One colour takes a palette. Where the list says nothing, only the second has samples of four channels.
            let reduces = listed[index] == 0 && index != 1
            let data = try ImageDestination(
                format: .png, options: EncodingOptions(png: EncodingOptions.PNG(reducesColors: reduces))
            ).encode(bitmap.freeze())
            return ICOFixture.Picture(width: 256, height: 256, data: data, fields: (1, listed[index]))
        }
        let session = DecoderSession(ICOCodec(), ICOFixture.file(1, pictures))
        #expect(session.error == nil)
        #expect(session.bitmap?.pixels[0].red == UInt8(chosen))
    }

    @Test("An unreadable image isn't chosen as the file's image")
    func brokenLargest() throws {
        var file = try Self.sizes()
        let start = 6 + 3 * 16 + 12
        // The large one's bytes are beyond the end.
        file.replaceSubrange(start..<(start + 4), with: [255, 255, 255, 0])
        #expect(DecoderSession(ICOCodec(), file).header?.storedSize == PixelSize(width: 32, height: 32))
        let options = DecodingOptions(imageIndex: 3)
        #expect(DecoderSession(ICOCodec(), file, options: options).error != nil)
    }

    @Test("Files are identified by their first bytes")
    func identification() throws {
        let icon = try Self.sizes()
        var cursor = icon
        cursor[2] = 2
        for (file, format, other) in [(icon, ImageFormat.ico, ImageFormat.cur), (cursor, .cur, .ico)] {
            for count in 0..<22 {
                let prefix = Array(file.prefix(count))
                let probe = FormatProbe(streamPrefix: prefix.span.bytes)
                #expect(ICOCodec(format).identify(probe) == .needMoreData(minimum: 22))
                #expect(ICOCodec(format).identify(FormatProbe(whole: prefix.span.bytes)) != .match(format))
            }
            let prefix = Array(file.prefix(22))
            let probe = FormatProbe(streamPrefix: prefix.span.bytes)
            #expect(ICOCodec(format).identify(probe) == .match(format))
            #expect(ICOCodec(other).identify(probe) == .unknown)
            #expect(CodecRegistry.builtIn.identify(probe) == .match(format))
        }
        let others: [[UInt8]] = [
            [0, 0, 1, 0, 0, 0] + [UInt8](repeating: 0, count: 30), [0, 1, 0, 0] + [UInt8](repeating: 9, count: 30),
            [0, 0, 1, 0] + [UInt8](repeating: 0xFF, count: 8) + [UInt8](repeating: 0, count: 30),
        ]
        for other in others {
            #expect(ICOCodec().identify(FormatProbe(whole: other.span.bytes)) == .unknown)
        }
    }

    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var file: [UInt8]
        var code: ImageError.Code
        var rows = 0
    }

    static let damaged: [Case] = {
        let fixture = BMPFixture.direct(24)
        let data = ICOFixture.bitmap(fixture, mask: ICOFixture.mask(105))
        func file(_ data: [UInt8]) -> [UInt8] {
            ICOFixture.file(1, [ICOFixture.Picture(width: 21, height: 5, data: data)])
        }
        func patched(_ offset: Int, _ bytes: [UInt8]) -> [UInt8] {
            var changed = data
            changed.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
            return file(changed)
        }
        return [
            Case(testDescription: "nothing", file: [], code: .truncated),
            Case(testDescription: "no pictures", file: [0, 0, 1, 0, 0, 0], code: .corrupt),
            Case(testDescription: "another kind", file: [0, 0, 3, 0, 1, 0] + file(data).dropFirst(6), code: .corrupt),
            Case(testDescription: "cut in the list", file: Array(file(data).prefix(20)), code: .truncated),
            Case(
                testDescription: "65535 pictures", file: [0, 0, 1, 0, 255, 255] + file(data).dropFirst(6),
                code: .truncated),
            Case(testDescription: "no picture's bytes", file: Array(file(data).prefix(22)), code: .corrupt),
            Case(testDescription: "no pixels", file: file(Array(data.prefix(40))), code: .truncated),
            Case(
                testDescription: "a row missing", file: file(Array(data.prefix(40 + 4 * 64))), code: .truncated, rows: 5
            ),
            Case(testDescription: "run lengths", file: patched(14, [8, 0, 1, 0]), code: .unsupported),
            Case(testDescription: "one row, which is none", file: patched(8, [1, 0, 0, 0]), code: .corrupt),
            Case(
                testDescription: "width beyond the limit", file: patched(4, [255, 255, 255, 127]), code: .limitExceeded),
            Case(
                testDescription: "a PNG that ends in its header",
                file: file([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49]), code: .truncated),
        ]
    }()

    @Test("Errors have their reason", arguments: damaged)
    func damage(in testCase: Case) {
        let session = DecoderSession(ICOCodec(), testCase.file)
        #expect(session.error?.code == testCase.code, "\(String(describing: session.error))")
        #expect(session.rows == testCase.rows)
    }

    @Test("More images than the limit are refused")
    func limits() throws {
        var limits = DecodingLimits.standard
        limits.maximumFrameCount = 3
        let options = DecodingOptions(limits: limits)
        #expect(DecoderSession(ICOCodec(), try Self.sizes(), options: options).error?.code == .limitExceeded)
    }
}
