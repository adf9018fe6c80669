import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

/// Every kind of file, every split, comments in odd places, and several images in a file.
@Suite("PNM decoding")
struct PNMDecodingTests {
    private static func options(_ bits: Int, index: Int? = nil) -> DecodingOptions {
        DecodingOptions(color: .asStored, maximumBitsPerChannel: bits, imageIndex: index)
    }

    private static func session(_ text: String) -> DecoderSession { DecoderSession(PNMCodec(), Array(text.utf8)) }

    @Test("Every kind of file decodes for any split, with 8 and 16 bits", arguments: PNMFixture.all)
    func kinds(fixture: PNMFixture) {
        let file = fixture.file
        for bits in [8, 16] {
            let expected = fixture.expected(bits: bits)
            for round in 0..<4 {
                let splits = round == 3 ? [] : DecoderSession.splits(of: file.count, round: round)
                let session = DecoderSession(
                    PNMCodec(), file, splits: splits, options: Self.options(bits), rowCount: round + 1)
                #expect(session.error == nil)
                #expect(session.bitmap?.storedSamples == expected)
                let format: PixelFormat = fixture.depth == 1 ? .gray8 : .rgba8
                #expect(
                    session.info?.format
                        == format.withBitsPerChannel(bits == 16 && fixture.maximum > 255 ? 16 : 8))
                #expect(session.info?.alpha == (fixture.depth % 2 == 0 ? .straight : AlphaMode.none))
                #expect(session.header?.storedSize == fixture.size && session.header?.profile == .sRGB)
                #expect(session.header?.colorModel == (fixture.depth > 2 ? .rgb : .gray))
            }
        }
        #expect(PNMCodec().identify(FormatProbe(whole: file.span.bytes)) == .match(.pnm))
    }

    @Test("Pillow sees the same pixels", .needsPillow, arguments: PNMFixture.all.filter { $0.magic < 7 })
    func pillow(fixture: PNMFixture) throws {
        guard fixture.depth == 1, fixture.maximum > 255 else {
            let seen = try #require(try Pillow.picture(fixture.file))
            let bitmap = try #require(DecoderSession(PNMCodec(), fixture.file).bitmap)
            #expect(bitmap.pixels.flatMap { [$0.red, $0.green, $0.blue, $0.alpha] } == seen.samples)
            return
        }
        let seen = try #require(try Pillow.page(of: fixture.file, as: "I"))
        let values = stride(from: 0, to: seen.samples.count, by: 4).map {
            UInt16(seen.samples[$0]) | UInt16(seen.samples[$0 + 1]) << 8
        }
        let session = DecoderSession(PNMCodec(), fixture.file, options: Self.options(16))
        #expect(session.bitmap?.storedSamples == values)
    }

    @Test("A Python reader agrees", .needs(.python), arguments: PNMFixture.all.filter { $0.tupleType == "RGB_ALPHA" })
    func python(fixture: PNMFixture) throws {
        let seen = try #require(try PNMFixture.pythonSamples(fixture.file))
        let session = DecoderSession(PNMCodec(), fixture.file, options: Self.options(16))
        #expect(session.bitmap?.samples16 == (fixture.maximum > 255 ? seen : seen.atEightBits.map { $0 * 257 }))
    }

    @Test(
        "Comments and white space may stand anywhere in a header",
        arguments: [
            "P2\n2 1\n9\n0 9", "P2#c\n2 1 9 0 9", "P2 #c\r\n2\t1\u{b}9\u{c}0 9", "P2\n#a 7 7\n2 #b\n1#c\n9#d\n0 9",
            "P2 2#1\n1 9 0 9", "P2 2 1 9 0#\n9#", "P2\n# \n#\n##\n2 1 # 5\n 9\n 0\n\n9\n", "P2 002 01 0009 0 09",
        ])
    func comments(text: String) {
        let bytes = Array(text.utf8)
        for round in 0..<2 {
            let splits = round == 0 ? [] : DecoderSession.splits(of: bytes.count, round: 0)
            let session = DecoderSession(PNMCodec(), bytes, splits: splits)
            #expect(session.error == nil, "\(String(describing: session.error))")
            #expect(session.pixels == [RGBA8(0, 0, 0), RGBA8(255, 255, 255)])
        }
    }

    @Test("A comment's end is the white space before a raw file's samples")
    func rawComments() {
        for head in ["P5 2 1 255\n", "P5 2 1 255#c\n", "P5#c\n2#c\n1#c\n255\t", "P5 2 1 255\r"] {
            for samples: [UInt8] in [[35, 10], [10, 32], [0, 255]] {
                let session = DecoderSession(PNMCodec(), Array(head.utf8) + samples)
                #expect(session.error == nil)
                #expect(session.pixels.map(\.red) == samples)
            }
        }
    }

    @Test("A PAM's header has lines in any order, comments and empty lines")
    func lines() {
        let heads = [
            "P7\nMAXVAL 255\nTUPLTYPE GRAYSCALE\nDEPTH 1\nHEIGHT 1\nWIDTH 2\nENDHDR\n",
            "P7\n# WIDTH 9\n\nWIDTH  2 \n  HEIGHT\t1\r\nDEPTH 1\nMAXVAL 255\n#\nENDHDR\n",
            "P7\nWIDTH 3\nWIDTH 2\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nTUPLTYPE\nTUPLTYPE GRAYSCALE\nENDHDR\n",
        ]
        for head in heads {
            let session = DecoderSession(PNMCodec(), Array(head.utf8) + [7, 200])
            #expect(session.error == nil, "\(String(describing: session.error))")
            #expect(session.pixels.map(\.red) == [7, 200])
        }
    }

    @Test("Bits of text need no space, and may have it")
    func plainBits() {
        for text in ["P1 3 2 011100", "P1 3 2 0 1 1 1 0 0", "P1 3 2\n0#1\n11\n1 00", "P1\n3\n2\n\n011100 rest"] {
            #expect(Self.session(text).pixels.map(\.red) == [255, 0, 0, 0, 255, 255])
        }
    }

    @Test("A raw sample above the maximum is the maximum")
    func clamping() {
        let session = DecoderSession(PNMCodec(), Array("P5 3 1 100\n".utf8) + [50, 100, 255])
        #expect(session.pixels.map(\.red) == [128, 255, 255])
    }

    @Test("A row comes with its last byte")
    func rowByRow() {
        let file = Array("P6 1 3 255 ".utf8) + [1, 2, 3, 4, 5, 6, 7, 8, 9]
        let session = DecoderSession(PNMCodec(), file, splits: [11, 13, 14, 19])
        #expect(session.progress == [0, 0, 1, 2, 3, 3])
        // A number of text ends with what follows it.
        let plain = DecoderSession(PNMCodec(), Array("P2 1 2 99 12 34".utf8), splits: [12, 13, 15])
        #expect(plain.progress == [0, 1, 1, 1, 2])
    }

    @Test(
        "A region is cropped from the rows", arguments: PNMFixture.all.filter { [1, 3, 99, 999].contains($0.maximum) })
    func region(fixture: PNMFixture) throws {
        let whole = try #require(DecoderSession(PNMCodec(), fixture.file).bitmap)
        let part = PixelRect(x: 3, y: 1, width: 5, height: 3)
        for round in 0..<2 {
            let session = DecoderSession(
                PNMCodec(), fixture.file, splits: DecoderSession.splits(of: fixture.file.count, round: round),
                plan: DecodingPlan(region: part))
            #expect(session.error == nil)
            #expect(try session.bitmap?.tightBytes() == whole.cropped(to: part).tightBytes())
        }
    }

    // MARK: Several images

    @Test("Each image of a file is selected by its index")
    func pages() {
        let fixtures = PNMFixture.all.filter { [4, 5, 6, 7].contains($0.magic) && [1, 255, 999].contains($0.maximum) }
        var file: [UInt8] = []
        for (index, fixture) in fixtures.enumerated() { file += fixture.file + (index % 3 == 0 ? [10] : []) }
        for (index, fixture) in fixtures.enumerated() {
            for round in 0..<3 {
                let splits = round == 2 ? [] : DecoderSession.splits(of: file.count, round: round + 1)
                let session = DecoderSession(PNMCodec(), file, splits: splits, options: Self.options(16, index: index))
                #expect(session.error == nil)
                #expect(session.bitmap?.storedSamples == fixture.expected(bits: 16))
            }
        }
        #expect(DecoderSession(PNMCodec(), file).bitmap?.storedSamples == fixtures[0].expected())
    }

    @Test("An index that the file hasn't is refused")
    func missingPages() {
        let file = Array("P5 1 1 255\n7P5 1 1 255\n8".utf8)
        for (index, code) in [
            (2, ImageError.Code.invalidParameter), (-1, .invalidParameter), (1 << 40, .invalidParameter),
        ] {
            #expect(DecoderSession(PNMCodec(), file, options: Self.options(8, index: index)).error?.code == code)
        }
        let cut = DecoderSession(PNMCodec(), Array(file.prefix(11)), options: Self.options(8, index: 1))
        #expect(cut.error?.code == .truncated && cut.error?.byteOffset == 11)
        let other = DecoderSession(PNMCodec(), Array(file.prefix(12)) + [65], options: Self.options(8, index: 1))
        #expect(other.error?.code == .corrupt && other.error?.byteOffset == 12)
        let plain = DecoderSession(PNMCodec(), Array("P2 1 1 9 7".utf8), options: Self.options(8, index: 1))
        #expect(plain.error?.code == .invalidParameter)
    }

    // MARK: Identification

    @Test(
        "The first bytes decide",
        arguments: [
            ("P1 1", true), ("P2\n\n9", true), ("P3#", true), ("P4\t\r\n8", true), ("P5\n#", true), ("P6 0", true),
            ("P7\n", true), ("P5 x", false), ("P5x", false), ("P53", false), ("P0 1", false), ("P8 1", false),
            ("P7 332", false), ("P7\r\n", false), ("PF\n1", false), ("p5 1", false), ("P5", false), ("P5 ", false),
            ("P5                 1", false),
        ])
    func identification(text: String, isMatch: Bool) {
        let bytes = Array(text.utf8)
        #expect(PNMCodec().identify(FormatProbe(whole: bytes.span.bytes)) == (isMatch ? .match(.pnm) : .unknown))
    }

    @Test("Arriving bytes are waited for")
    func arriving() {
        for text in ["", "P", "P5", "P5 ", "P5 \n"] {
            let bytes = Array(text.utf8)
            guard case .needMoreData(let count) = PNMCodec().identify(FormatProbe(streamPrefix: bytes.span.bytes))
            else {
                Issue.record("\(text)")
                continue
            }
            #expect(count > bytes.count)
        }
    }
}
