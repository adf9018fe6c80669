#if WebP
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("WebP: animations")
struct WebPAnimationTests {
    typealias Fixture = WebPFixture

    static let red = RGBA8(255, 0, 0), blue = RGBA8(0, 0, 255, 128)

    /// Three frames on 20 × 10: red over the left half, blue in the middle, a photograph over all.
    static func file(loops: Int = 3, exif: Bool = false, hasJunk: Bool = true) throws -> [UInt8] {
        let junk = hasJunk ? Fixture.chunk("junk", [1, 2, 3]) : []
        return Fixture.file(
            Fixture.extended(2 + 16 + (exif ? 8 : 0), 20, 10), Fixture.animation(loops: loops),
            Fixture.frame(10, 10, milliseconds: 40, try Fixture.picture(Fixture.plain(10, 10, red))),
            junk,
            Fixture.frame(
                x: 6, y: 2, 7, 5, milliseconds: 0, flags: 1,
                try junk + Fixture.picture(Fixture.plain(7, 5, blue))),
            Fixture.frame(
                20, 10, milliseconds: 0xFF_FFFF, flags: 2, try Fixture.picture(Fixture.sample(20, 10), lossless: false)),
            exif ? Fixture.chunk("EXIF", Fixture.exif(.right)) : [])
    }

    @Test("Frames have their position, disposal and blending")
    func framesSayWhereTheyGo() throws {
        let session = WebPAnimationSession(try Self.file())
        #expect(session.error == nil)
        #expect(session.header?.storedSize == PixelSize(width: 20, height: 10))
        #expect(session.header?.sequence == ImageSequence(.animation, count: 3, loopCount: 3))
        #expect(session.canvas?.alpha == .straight)
        #expect(
            session.frames == [
                AnimationFrame(
                    region: PixelRect(x: 0, y: 0, width: 10, height: 10), blending: .over, storedDuration: 0.04),
                AnimationFrame(
                    region: PixelRect(x: 6, y: 2, width: 7, height: 5), blending: .over, disposal: .background,
                    storedDuration: 0),
                AnimationFrame(
                    region: PixelRect(x: 0, y: 0, width: 20, height: 10), blending: .source, storedDuration: 16_777.215
                ),
            ])
        #expect(session.bitmaps[0]?.pixels.allSatisfy { $0 == Self.red } == true)
        #expect(session.bitmaps[1]?.pixels == [RGBA8](repeating: Self.blue, count: 35))
        #expect(session.bitmaps[2]?.size == PixelSize(width: 20, height: 10))
    }

    @Test("Every split of the bytes gives the same frames")
    func everySplitGivesTheSame() throws {
        let file = try Self.file()
        let whole = WebPAnimationSession(file)
        let single = WebPAnimationSession(file, splits: Array(1..<file.count))
        #expect(single.header == whole.header && single.frames == whole.frames)
        #expect(single.bitmaps.map { $0?.tightBytes() } == whole.bitmaps.map { $0?.tightBytes() })
    }

    @Test("Complete frames are available before the rest has arrived")
    func streaming() throws {
        let file = try Self.file()
        let decoder = try WebPCodec().makeAnimationDecoder(
            for: FormatProbe(streamPrefix: file.span.bytes), options: DecodingOptions())
        var counts: [Int] = []
        for byte in file {
            try decoder.append([byte].span.bytes)
            if counts.last != decoder.frames.count {
                counts.append(decoder.frames.count)
                if decoder.frames.count == 1 {
                    #expect(decoder.header?.sequence?.count == nil)
                    _ = try decoder.start()
                    #expect(try decoder.decodeFrame(at: 0).pixels.first == Self.red)
                    #expect(errorCode { try decoder.decodeFrame(at: 1) } == .invalidParameter)
                }
            }
        }
        #expect(counts == [0, 1, 2, 3])
        try decoder.finish()
        #expect(decoder.header?.sequence?.count == 3)
    }

    @Test("Decoding a still image gives the first frame on its canvas", arguments: [[], Array(1..<60)] as [[Int]])
    func firstFrame(splits: [Int]) throws {
        let file = try Self.file()
        let session = DecoderSession(webP: file, splits: splits)
        #expect(session.isComplete && session.error == nil)
        #expect(session.bitmap?.alpha == .straight && session.header?.sequence?.kind == .animation)
        let pixels = try #require(session.bitmap).pixels
        #expect(
            pixels.indices.allSatisfy { pixels[$0] == ($0 % 20 < 10 ? Self.red : RGBA8(0, 0, 0, 0)) })
        for region in [
            PixelRect(x: 5, y: 3, width: 10, height: 4), PixelRect(x: 12, y: 0, width: 8, height: 10),
            PixelRect(x: 0, y: 9, width: 1, height: 1),
        ] {
            let part = DecoderSession(webP: file, plan: DecodingPlan(region: region))
            #expect(try part.bitmap?.tightBytes() == session.bitmap?.cropped(to: region).tightBytes())
        }
    }

    @Test("A frame inside its canvas is surrounded by transparency")
    func middle() throws {
        let frame = try Fixture.picture(Fixture.sample(9, 7), lossless: false)
        let file = Fixture.file(
            Fixture.extended(2, 20, 16), Fixture.animation(loops: 0), Fixture.frame(x: 4, y: 6, 9, 7, frame))
        let own = try #require(DecoderSession(webP: Fixture.file(frame)).bitmap)
        let shown = try #require(DecoderSession(webP: file, rowCount: 2).bitmap)
        #expect(shown.alpha == .straight)
        let place = PixelRect(x: 4, y: 6, width: 9, height: 7)
        #expect(try shown.cropped(to: place).tightBytes() == own.tightBytes())
        for region in [PixelRect(x: 0, y: 0, width: 20, height: 6), PixelRect(x: 0, y: 13, width: 20, height: 3)] {
            #expect(try shown.cropped(to: region).pixels.allSatisfy { $0 == RGBA8(0, 0, 0, 0) })
        }
    }

    @Test("The loop count is the file's", arguments: [0, 1, 65535])
    func loops(count: Int) throws {
        #expect(try WebPAnimationSession(Self.file(loops: count)).header?.sequence?.loopCount == count)
    }

    @Test("An orientation after the frames comes too late, for both kinds of sessions")
    func lateOrientation() throws {
        let file = try Self.file(exif: true)
        let session = WebPAnimationSession(file)
        #expect(session.header?.metadata.orientation == .up && session.header?.metadata.exif == Fixture.exif(.right))
        #expect(DecoderSession(webP: file).header?.metadata.orientation == .up)
        #expect(WebPAnimationSession(file, splits: Array(1..<file.count)).header == session.header)
    }

    @Test("A file truncated anywhere keeps its frames")
    func truncated() throws {
        let file = try Self.file()
        let whole = WebPAnimationSession(file)
        var most = 0
        for count in 0..<(file.count - 1) {
            let session = WebPAnimationSession(Array(file.prefix(count)))
            #expect(session.error?.code == .truncated)
            #expect(session.frames.elementsEqual(whole.frames.prefix(session.frames.count)))
            #expect(session.frames.count >= most)
            most = session.frames.count
        }
        #expect(most == 2)
    }

    @Test("Invalid data is refused, and the frames before it stay")
    func damage() throws {
        let picture = try Fixture.picture(Fixture.plain(10, 10, Self.red))
        let good = Fixture.frame(10, 10, picture)
        func file(_ bad: [UInt8]) -> [UInt8] {
            Fixture.file(Fixture.extended(2, 20, 10), Fixture.animation(loops: 0), good, bad)
        }
        let outside = Fixture.frame(x: 12, 10, 10, picture)
        for bad in [
            outside, Fixture.frame(10, 9, picture), Fixture.frame(10, 10, []), Fixture.chunk("ANMF", [1, 2, 3]),
            Fixture.frame(10, 10, Fixture.chunk("junk", [1])), Fixture.frame(10, 10, Array(picture.dropLast(4))),
        ] {
            let session = WebPAnimationSession(file(bad))
            #expect(session.error?.code == .corrupt && session.frames.count == 1)
            #expect(session.bitmaps.first??.pixels.first == Self.red)
        }
        #expect(WebPAnimationSession(Fixture.file(Fixture.extended(2, 20, 10))).error?.code == .corrupt)
        #expect(WebPAnimationSession(Fixture.file(picture)).error?.code == .unsupported)
        #expect(WebPAnimationSession(Fixture.file(Fixture.extended(0, 10, 10), picture)).error?.code == .unsupported)
        var limits = DecodingLimits.standard
        limits.maximumFrameCount = 2
        let many = WebPAnimationSession(try Self.file(), limits: limits)
        #expect(many.error?.code == .limitExceeded && many.frames.count == 2)
    }

    @Test("A frame's pixels are other decoders'", .enabled(if: WebPTools.areInstalled))
    func independent() throws {
        // webpmux takes no frames with chunks that it doesn't know.
        let file = try Self.file(hasJunk: false)
        #expect(try WebPTools.info(file) != nil)
        let session = WebPAnimationSession(file)
        for index in 0..<3 {
            #expect(try session.bitmaps[index]?.tightBytes() == WebPTools.frame(index, of: file)?.rgba)
        }
    }
}
#endif
