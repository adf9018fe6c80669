import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("GIF decoding")
struct GIFDecodingTests {
    typealias Frame = GIFFixture.Frame

    @Test(
        "Sizes, palettes and positions are decoded",
        arguments: [
            (1, 1), (2, 3), (7, 5), (8, 8), (31, 17), (300, 9), (5, 400),
        ] as [(Int, Int)], [false, true])
    func stills(size: (Int, Int), isInterlaced: Bool) throws {
        var fixture = GIFFixture(size.0, size.1)
        fixture.frames[0].isInterlaced = isInterlaced
        let session = DecoderSession(gif: fixture.bytes)
        #expect(session.error == nil && session.isComplete)
        #expect(session.pixels == fixture.shown[0])
        let header = try #require(session.header)
        #expect(header.format == .gif && header.colorModel == .indexed && !header.hasAlpha)
        #expect(header.storedSize == PixelSize(width: size.0, height: size.1))
        #expect(header.sequence == nil && header.isProgressive == isInterlaced)
        #expect(session.bitmap?.alpha == AlphaMode.none)
    }

    @Test("All code sizes are decoded")
    func everySizeOfIndex() {
        for bits in 2...8 {
            var frame = Frame(40, 30, seed: bits, colors: min(255, 1 << bits))
            frame.minimumCodeSize = bits
            frame.palette = (0..<(3 << bits)).map { UInt8($0 * 7 & 255) }
            let fixture = GIFFixture(40, 30, [frame])
            #expect(DecoderSession(gif: fixture.bytes).pixels == fixture.shown[0])
        }
    }

    @Test("A GIF87a file without extensions is decoded")
    func anOldVersionWithoutExtensions() {
        var fixture = GIFFixture(9, 9)
        fixture.version = "87a"
        #expect(DecoderSession(gif: fixture.bytes).pixels == fixture.shown[0])
    }

    @Test("A frame inside its canvas is placed by its offset")
    func aFrameInTheMiddleOfItsCanvas() {
        for isInterlaced in [false, true] {
            var frame = Frame(11, 9)
            (frame.x, frame.y, frame.transparentIndex, frame.isInterlaced) = (4, 3, 5, isInterlaced)
            let fixture = GIFFixture(20, 18, [frame])
            let session = DecoderSession(gif: fixture.bytes)
            #expect(session.pixels == fixture.shown[0])
            #expect(session.header?.hasAlpha == true && session.bitmap?.alpha == .straight)
            // Without a transparent index what isn't covered is still transparent, as in browsers.
            frame.transparentIndex = nil
            #expect(
                DecoderSession(gif: GIFFixture(20, 18, [frame]).bytes).pixels == GIFFixture(20, 18, [frame]).shown[0])
        }
    }

    @Test("A first frame beyond the screen enlarges the canvas")
    func aFirstFrameBeyondTheScreenEnlargesIt() {
        var frame = Frame(10, 6)
        (frame.x, frame.y) = (3, 2)
        let session = DecoderSession(gif: GIFFixture(8, 20, [frame]).bytes)
        #expect(session.header?.storedSize == PixelSize(width: 13, height: 20))
        #expect(session.pixels == GIFFixture(13, 20, [frame]).shown[0])
        let none = DecoderSession(gif: GIFFixture(0, 0, [Frame(10, 6)]).bytes)
        #expect(none.pixels == GIFFixture(10, 6, [Frame(10, 6)]).shown[0])
    }

    @Test("A frame without pixels leaves the canvas transparent")
    func aFrameWithoutPixelsLeavesTheCanvasTransparent() {
        let session = DecoderSession(gif: GIFFixture(4, 3, [Frame(0, 7)]).bytes)
        #expect(session.isComplete)
        #expect(session.pixels == [RGBA8](repeating: RGBA8(0, 0, 0, 0), count: 12))
        #expect(DecoderSession(gif: GIFFixture(0, 0, [Frame(0, 0)]).bytes).error?.code == .corrupt)
    }

    @Test("A missing palette is a grey ramp, and a short one ends in black")
    func noPaletteIsGreyAndAShortOneEndsInBlack() {
        var grey = GIFFixture(3, 1)
        grey.palette = []
        grey.frames[0].indices = [0, 7, 15]
        #expect(DecoderSession(gif: grey.bytes).pixels == [RGBA8(0, 0, 0), RGBA8(7, 7, 7), RGBA8(15, 15, 15)])
        grey.palette = [9, 8, 7, 6, 5, 4]
        #expect(DecoderSession(gif: grey.bytes).pixels == [RGBA8(9, 8, 7), RGBA8(0, 0, 0), RGBA8(0, 0, 0)])
    }

    @Test("Interlaced passes show their rows")
    func passes() {
        var fixture = GIFFixture(5, 21)
        fixture.frames[0].isInterlaced = true
        let session = DecoderSession(gif: fixture.bytes, delivery: .every)
        #expect(session.passes == [1, 2, 3] && session.isComplete)
        let shown = fixture.shown[0]
        #expect(session.pixels == shown)
        for (pass, block) in zip(0..<3, [8, 4, 2]) {
            let pixels = session.passBitmaps[pass].pixels
            // Each row that came fills the rows until the next.
            for y in 0..<21 {
                #expect(Array(pixels[(5 * y)..<(5 * y + 5)]) == Array(shown[(5 * (y / block * block))...].prefix(5)))
            }
        }
        // A picture of four rows has none in the second pass.
        var low = GIFFixture(3, 4)
        low.frames[0].isInterlaced = true
        #expect(DecoderSession(gif: low.bytes, delivery: .every).passes == [2, 3])
        var flat = GIFFixture(3, 1)
        flat.frames[0].isInterlaced = true
        #expect(DecoderSession(gif: flat.bytes, delivery: .every).passes == [])
    }

    @Test("Regions are decoded")
    func regions() throws {
        for isInterlaced in [false, true] {
            var frame = Frame(30, 20)
            (frame.x, frame.y, frame.isInterlaced) = (5, 6, isInterlaced)
            let fixture = GIFFixture(40, 30, [frame])
            let whole = try #require(DecoderSession(gif: fixture.bytes).bitmap)
            for region in [
                PixelRect(x: 0, y: 0, width: 40, height: 30), PixelRect(x: 7, y: 9, width: 3, height: 2),
                PixelRect(x: 0, y: 2, width: 8, height: 10), PixelRect(x: 34, y: 25, width: 6, height: 5),
                PixelRect(x: 0, y: 0, width: 3, height: 30), PixelRect(x: 2, y: 1, width: 30, height: 3),
            ] {
                let part = DecoderSession(gif: fixture.bytes, plan: DecodingPlan(region: region))
                #expect(part.isComplete)
                #expect(try part.pixels == whole.cropped(to: region).pixels)
            }
        }
    }

    @Test("Rows arrive with their bytes")
    func rowsComeAsBytesDo() {
        let fixture = GIFFixture(100, 100)
        let bytes = fixture.bytes
        let half = DecoderSession(gif: Array(bytes.prefix(bytes.count / 2)))
        #expect(half.rows > 40 && half.rows < 60)
        #expect(half.pixels == Array(fixture.shown[0].prefix(100 * half.rows)))
    }

    @Test("A still image doesn't wait for the end of its animation")
    func aStillDoesNotWaitForItsAnimationsEnd() {
        var fixture = GIFFixture(20, 20, [Frame(20, 20), Frame(20, 20, seed: 1), Frame(20, 20, seed: 2)])
        let first = GIFFixture(20, 20).bytes.count - 1
        let session = DecoderSession(gif: fixture.bytes, splits: Array(1..<fixture.bytes.count))
        #expect(session.completeByteCount.map { $0 <= first } == true)
        #expect(session.pixels == fixture.shown[0])
        // The second frame tells that it is one; how many there are is known at the end.
        #expect(session.header?.sequence == ImageSequence(.animation, count: 3, loopCount: 1))
        fixture.extensions = [GIFFixture.loops(0)]
        let early = DecoderSession(gif: Array(fixture.bytes.prefix(first - 20)))
        #expect(early.header?.sequence?.loopCount == 0)
    }

    @Test("Every split of the bytes gives the same image")
    func everySplitGivesTheSame() {
        var frame = Frame(23, 19)
        (frame.x, frame.y, frame.transparentIndex) = (1, 2, 3)
        for isInterlaced in [false, true] {
            frame.isInterlaced = isInterlaced
            var fixture = GIFFixture(25, 22, [frame, Frame(25, 22)])
            fixture.extensions = [GIFFixture.loops(3), [0x21, 0xFE, 3, 65, 66, 67, 0]]
            let bytes = fixture.bytes
            let whole = DecoderSession(gif: bytes)
            #expect(whole.pixels == fixture.shown[0])
            for delivery in [PassDelivery.last, .every] {
                let single = DecoderSession(gif: bytes, splits: Array(1..<bytes.count), delivery: delivery)
                #expect(single.pixels == whole.pixels && single.header == whole.header)
                for split in stride(from: 1, to: bytes.count, by: 7) {
                    let session = DecoderSession(gif: bytes, splits: [split], delivery: delivery)
                    #expect(session.pixels == whole.pixels && session.header == whole.header && session.error == nil)
                    #expect(session.passBitmaps.map(\.pixels) == single.passBitmaps.map(\.pixels))
                }
            }
        }
    }

    @Test("Metadata is read")
    func metadata() {
        var fixture = GIFFixture(4, 4)
        let packet = Array("<x:xmpmeta>é and a great deal of text</x:xmpmeta>".utf8)
        let profile = TestProfiles.wideRGB
        fixture.extensions = [GIFFixture.xmp(packet), GIFFixture.application("ICCRGBG1012", profile)]
        let header = DecoderSession(gif: fixture.bytes).header
        #expect(header?.metadata.xmp == packet)
        #expect(header?.profile == .icc(profile))
        #expect(GIFAnimation(fixture.bytes).header?.metadata.xmp == packet)
        // Larger than the limit it is left out.
        var limits = DecodingLimits.standard
        limits.maximumMetadataByteCount = packet.count
        #expect(DecoderSession(gif: fixture.bytes, limits: limits).header?.metadata.xmp == nil)
        #expect(DecoderSession(gif: fixture.bytes, limits: limits).header?.profile == .sRGB)
        // Behind the pixels it is welcome too.
        fixture.trailer = GIFFixture.xmp(packet) + [0x3B]
        fixture.extensions = []
        #expect(DecoderSession(gif: fixture.bytes).header?.metadata.xmp == packet)
    }

    @Test("Files are identified by their signature")
    func identification() {
        let codec = GIFCodec()
        func identify(_ bytes: [UInt8]) -> FormatMatch { codec.identify(FormatProbe(streamPrefix: bytes.span.bytes)) }
        var fixture = GIFFixture(4, 4)
        #expect(identify(fixture.bytes) == .match(.gif))
        #expect(identify(Array("GIF8".utf8)) == .needMoreData(minimum: 6))
        #expect(identify(Array("GIF88a".utf8)) == .unknown)
        fixture.extensions = [GIFFixture.loops(0, name: "ANIMEXTS1.0")]
        #expect(identify(fixture.bytes) == .match(.gif, .animated))
        #expect(identify(GIFFixture(4, 4, [Frame(4, 4), Frame(4, 4)]).bytes) == .match(.gif, .animated))
        #expect(CodecRegistry.builtIn.canDecode(.gif) && CodecRegistry.builtIn.canEncode(.gif))
    }
}
