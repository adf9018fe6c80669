import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

/// Every kind of pixel from every origin, every split, and what version 2 says of alpha.
@Suite("TGA decoding")
struct TGADecodingTests {
    @Test("Every kind of file decodes for any split", arguments: TGAFixture.all + TGAFixture.versionTwo)
    func kinds(fixture: TGAFixture) {
        let file = fixture.file
        for round in 0..<4 {
            let splits = round == 3 ? [] : DecoderSession.splits(of: file.count, round: round)
            let session = DecoderSession(TGACodec(), file, splits: splits, rowCount: round + 1)
            #expect(session.error == nil)
            #expect(session.pixels == fixture.expected)
            let isGray = fixture.kind == .gray && !fixture.hasAlpha
            #expect(session.info?.format == (isGray ? .gray8 : .rgba8))
            #expect(session.info?.alpha == (fixture.hasAlpha ? .straight : AlphaMode.none))
            #expect(session.header?.hasAlpha == fixture.hasAlpha && session.header?.storedSize == fixture.size)
        }
        #expect(CodecRegistry.builtIn.identify(FormatProbe(whole: file.span.bytes)) == .match(.tga))
    }

    /// Files that Pillow reads by the same definitions: it takes the fourth byte for alpha without attribute bits too,
    /// and doesn't look at the extension area.
    private static let pillows = TGAFixture.all.filter { fixture in
        switch (fixture.kind, fixture.bits) {
        case (.rgb, 32), (.gray, 16): fixture.hasAlpha && !fixture.runsCrossRows
        case (.indexed, 8): [16, 24].contains(fixture.colorBits) && !fixture.runsCrossRows
        case (.indexed, _), (.rgb, 15): false
        default: fixture.attributeBits == 0 && !fixture.runsCrossRows
        }
    }

    @Test("Pillow sees the same pixels", .needsPillow, arguments: pillows)
    func pillow(fixture: TGAFixture) throws {
        let seen = try #require(try Pillow.picture(fixture.file))
        let samples = DecoderSession(TGACodec(), fixture.file).pixels.flatMap { [$0.red, $0.green, $0.blue, $0.alpha] }
        // Pillow rounds five bits down.
        let hasFiveBits =
            fixture.kind == .rgb && fixture.bits == 16 || fixture.kind == .indexed && fixture.colorBits == 16
        #expect(samples.count == seen.samples.count)
        #expect(zip(samples, seen.samples).allSatisfy { abs(Int($0) - Int($1)) <= (hasFiveBits ? 1 : 0) })
    }

    @Test("A row comes with its last byte if the first row is at the top and nothing is transparent")
    func rowByRow() {
        var fixture = TGAFixture(kind: .rgb, bits: 24, isTopDown: true, size: PixelSize(width: 2, height: 3))
        #expect(DecoderSession(TGACodec(), fixture.file, splits: [18, 23, 24, 35]).progress == [0, 0, 1, 2, 3, 3])
        fixture.isTopDown = false
        #expect(DecoderSession(TGACodec(), fixture.file, splits: [18, 23, 24, 35]).progress == [0, 0, 0, 0, 0, 3])
        fixture = TGAFixture(
            kind: .rgb, bits: 32, attributeBits: 8, isTopDown: true, size: PixelSize(width: 2, height: 3))
        #expect(DecoderSession(TGACodec(), fixture.file, splits: [18, 40]).progress == [0, 0, 0, 3])
    }

    @Test(
        "A region is cropped from the rows", arguments: TGAFixture.all.filter { $0.bits == 24 || $0.attributeBits == 8 }
    )
    func region(fixture: TGAFixture) throws {
        let whole = try #require(DecoderSession(TGACodec(), fixture.file).bitmap)
        let part = PixelRect(x: 2, y: 1, width: 4, height: 3)
        for round in 0..<2 {
            let session = DecoderSession(
                TGACodec(), fixture.file, splits: DecoderSession.splits(of: fixture.file.count, round: round),
                plan: DecodingPlan(region: part))
            #expect(session.error == nil)
            #expect(try session.bitmap?.tightBytes() == whole.cropped(to: part).tightBytes())
        }
    }

    @Test("Colours decode in rows of every width", arguments: [24, 32], [0, 8])
    func widths(bits: Int, attributeBits: Int) {
        for width in 1...20 {
            let fixture = TGAFixture(
                kind: .rgb, bits: bits, attributeBits: bits == 32 ? attributeBits : 0, isTopDown: true,
                size: PixelSize(width: width, height: 2))
            #expect(DecoderSession(TGACodec(), fixture.file).pixels == fixture.expected, "\(width) pixels")
        }
    }

    @Test("Indices outside of the palette are black")
    func indices() {
        var fixture = TGAFixture(kind: .indexed, bits: 8, firstColor: 5, isTopDown: true)
        fixture.size = PixelSize(width: 2, height: 1)
        let file = Array(fixture.file.dropLast(2))
        #expect(DecoderSession(TGACodec(), file + [4, 45]).pixels == [RGBA8(0, 0, 0), RGBA8(0, 0, 0)])
    }

    @Test("A damaged extension area says nothing of alpha")
    func extensionAreas() {
        let fixture = TGAFixture(kind: .rgb, bits: 32, attributeBits: 8, attributesType: 0)
        let straight = TGAFixture(kind: .rgb, bits: 32, attributeBits: 8).expected
        let file = fixture.file
        #expect(DecoderSession(TGACodec(), file).pixels == fixture.expected)
        let area = fixture.bare.count
        for (offset, value) in [
            (area, UInt8(0)), (area + 494, 5), (file.count - 1, 1), (file.count - 26, 1), (file.count - 23, 255),
        ] {
            var changed = file
            changed[offset] = value
            // Another place of the area is as wrong as another length.
            let session = DecoderSession(TGACodec(), changed)
            #expect(session.error == nil && session.pixels == straight, "\(offset)")
        }
    }

    // MARK: Identification

    /// Changes of a valid header that make it another format's.
    static let others: [(offset: Int, value: UInt8)] = [
        (1, 2), (1, 1), (1, 255), (2, 0), (2, 4), (2, 1), (2, 9), (2, 12), (2, 32), (2, 255), (3, 1), (4, 1), (5, 1),
        (6, 1), (7, 1), (12, 0), (14, 0), (16, 0), (16, 8), (16, 1), (16, 23), (16, 64), (17, 1), (17, 4), (17, 0x40),
        (17, 0x80), (17, 255),
    ]

    @Test("A header with an invalid field is another format's", arguments: others)
    func strictness(offset: Int, value: UInt8) {
        var file = TGAFixture(kind: .rgb, bits: 24).file
        #expect(TGACodec().identify(FormatProbe(whole: file.span.bytes)) == .match(.tga))
        file[offset] = value
        #expect(TGACodec().identify(FormatProbe(whole: file.span.bytes)) == .unknown)
        let error = DecoderSession(TGACodec(), file).error
        #expect(error?.code == .corrupt && error?.byteOffset.map { abs($0 - offset) <= 4 } == true, "\(error!)")
    }

    @Test("Arriving bytes are waited for, and other formats' aren't")
    func arriving() {
        let file = TGAFixture(kind: .rgb, bits: 24).file
        for count in 0..<18 {
            let prefix = Array(file.prefix(count))
            #expect(
                TGACodec().identify(FormatProbe(streamPrefix: prefix.span.bytes)) == .needMoreData(minimum: 18))
            #expect(TGACodec().identify(FormatProbe(whole: prefix.span.bytes)) == .unknown)
        }
        for other in [[0x89, 0x50], [0, 0, 1, 0], [0, 0, 2, 0, 1], [0, 0, 0, 12], [0xFF, 0xD8], [60, 63]] as [[UInt8]] {
            #expect(TGACodec().identify(FormatProbe(streamPrefix: other.span.bytes)) == .unknown)
        }
    }

    @Test("Extensions name TGA")
    func names() {
        for name in ["tga", "TGA", ".icb", "vda", "vst"] { #expect(ImageFormat(filenameExtension: name) == .tga) }
        #expect(CodecRegistry.builtIn.formats.last == .tga)
    }
}
