import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("GIF animation")
struct GIFAnimationTests {
    typealias Frame = GIFFixture.Frame

    /// Frames of all kinds, with every disposal.
    static var mixed: GIFFixture {
        var frames: [Frame] = []
        for index in 0..<12 {
            var frame = index == 0 ? Frame(30, 20) : Frame(5 + index, 4 + index, seed: index)
            if index > 0 { (frame.x, frame.y) = (index * 5 % 19, index * 3 % 11) }
            frame.disposal = index % 4
            frame.delay = index * 3
            if index % 3 != 0 { frame.transparentIndex = UInt8(index) }
            if index % 5 == 2 { frame.palette = GIFFixture.sixteenColors.reversed() }
            frame.isInterlaced = index % 2 == 1
            frames.append(frame)
        }
        return GIFFixture(30, 20, frames)
    }

    @Test("Every frame is composed by the specification's rules")
    func everyFrameIsShownAsTheSpecificationSays() throws {
        let fixture = Self.mixed
        let animation = GIFAnimation(fixture.bytes)
        #expect(animation.error == nil && animation.frameError == nil)
        #expect(animation.shown == fixture.shown)
        let durations = (0..<12).map { (index: Int) -> Double in Double(index * 3) / 100 }
        #expect(animation.frames.map(\.storedDuration) == durations)
        #expect(animation.header?.sequence == ImageSequence(.animation, count: 12, loopCount: 1))
        #expect(animation.info?.alpha == .straight)
    }

    @Test("Every split of the bytes gives the same frames")
    func everySplitGivesTheSame() {
        let fixture = Self.mixed
        let bytes = fixture.bytes
        for split in stride(from: 1, to: bytes.count, by: 41) {
            let animation = GIFAnimation(bytes, splits: [split])
            #expect(animation.shown == fixture.shown && animation.error == nil)
        }
        #expect(GIFAnimation(bytes, splits: Array(1..<bytes.count)).shown == fixture.shown)
    }

    @Test(
        "The loop count is the number of repetitions plus one",
        arguments: [
            (nil, 1), (0, 0), (1, 2), (9, 10), (65535, 65536),
        ] as [(Int?, Int)])
    func loops(repetitions: Int?, loopCount: Int) {
        for name in ["NETSCAPE2.0", "ANIMEXTS1.0"] {
            var fixture = GIFFixture(3, 3, [Frame(3, 3), Frame(3, 3)])
            fixture.extensions = repetitions.map { [GIFFixture.loops($0, name: name)] } ?? []
            #expect(GIFAnimation(fixture.bytes).header?.sequence?.loopCount == loopCount)
            #expect(DecoderSession(gif: fixture.bytes).header?.sequence?.loopCount == loopCount)
        }
    }

    @Test("Later frames are clipped to the canvas")
    func laterFramesAreCutOffAtTheCanvas() {
        var large = Frame(9, 9, seed: 4)
        (large.x, large.y, large.isInterlaced) = (6, 5, true)
        var outside = Frame(3, 3)
        (outside.x, outside.y, outside.disposal) = (40, 2, 2)
        let fixture = GIFFixture(10, 8, [Frame(10, 8), large, outside, Frame(0, 4)])
        let animation = GIFAnimation(fixture.bytes)
        #expect(animation.shown == fixture.shown)
        #expect(animation.frames[1].region == PixelRect(x: 6, y: 5, width: 4, height: 3))
    }

    @Test("An animation is opaque if no frame lets the canvas through")
    func anAnimationIsOpaqueWhereNothingLetsTheCanvasThrough() {
        var overlay = Frame(4, 4, seed: 1)
        overlay.transparentIndex = 2
        var fixture = GIFFixture(8, 8, [Frame(8, 8), overlay, Frame(8, 8)])
        #expect(GIFAnimation(fixture.bytes).info?.alpha == AlphaMode.none)
        fixture.frames[1].disposal = 2
        #expect(GIFAnimation(fixture.bytes).info?.alpha == .straight)
        fixture.frames[1].disposal = 3
        #expect(GIFAnimation(fixture.bytes).info?.alpha == AlphaMode.none)
        fixture.frames[0].disposal = 3
        #expect(GIFAnimation(fixture.bytes).info?.alpha == .straight)
        fixture.frames[0] = Frame(8, 7)
        #expect(GIFAnimation(fixture.bytes).info?.alpha == .straight)
    }

    /// An opaque picture, then transparent changes all over the canvas, as most encoders write animations.
    static var deltas: GIFFixture {
        var frames = [Frame(30, 20)]
        for index in 1..<8 {
            var frame = index % 3 == 0 ? Frame(7, 5, seed: index) : Frame(30, 20, seed: index)
            frame.transparentIndex = UInt8(index)
            frame.disposal = index == 4 ? 3 : 1
            frames.append(frame)
        }
        return GIFFixture(30, 20, frames)
    }

    @Test("Transparent frames are drawn over an opaque image", arguments: [false, true])
    func transparentDeltas(isMixed: Bool) throws {
        let fixture = isMixed ? Self.mixed : Self.deltas
        let options = DecodingOptions(color: .asStored)
        let animation = try AnimatedImageSource(fixture.bytes, options: options)
        #expect(animation.header?.hasAlpha == isMixed)
        // In order, backwards from nothing, and one by one as stills.
        for (index, shown) in fixture.shown.enumerated() {
            #expect(try animation.frame(at: index).pixels == shown, "frame \(index)")
        }
        animation.removeDecodedPixels()
        for (index, shown) in fixture.shown.enumerated().reversed() {
            #expect(try animation.frame(at: index).pixels == shown, "frame \(index), backwards")
            let still = try ImageSource.decode(
                fixture.bytes, options: DecodingOptions(color: .asStored, imageIndex: index))
            #expect(still.error == nil && still.bitmap.pixels == shown, "frame \(index), as a still")
        }
        // The same while it arrives, when it isn't known yet that nothing shows through.
        let arriving = AnimatedImageSource(options: options)
        for byte in fixture.bytes { try arriving.append([byte]) }
        for (index, shown) in fixture.shown.enumerated() {
            #expect(try arriving.frame(at: index).pixels == shown, "frame \(index), arriving")
        }
    }

    @Test("Truncation leaves the frames before it")
    func whatIsMissingLeavesTheFramesBefore() {
        let fixture = Self.mixed
        let bytes = fixture.bytes
        let cut = GIFAnimation(Array(bytes.prefix(bytes.count * 2 / 3)))
        #expect(cut.error?.code == .truncated)
        #expect(cut.shown.count > 4 && cut.shown == Array(fixture.shown.prefix(cut.shown.count)))
        // Many files end without a trailer; nothing is missing then.
        #expect(GIFAnimation(Array(bytes.dropLast())).error == nil)
        // What follows it is nobody's business, nor are zeros between blocks.
        #expect(GIFAnimation(bytes + [1, 2, 3]).error == nil)
        #expect(GIFAnimation(Array(bytes.dropLast()) + [0, 0, 0x3B]).error == nil)
        let garbage = GIFAnimation(Array(bytes.dropLast()) + [9, 9])
        #expect(garbage.error?.code == .corrupt && garbage.shown == fixture.shown)
    }

    @Test("Limits are checked")
    func limits() {
        let bytes = Self.mixed.bytes
        var limits = DecodingLimits.standard
        limits.maximumFrameCount = 5
        #expect(GIFAnimation(bytes, limits: limits).error?.code == .limitExceeded)
        #expect(GIFAnimation(bytes, limits: limits).shown.count == 5)
        limits = .standard
        limits.maximumInputByteCount = 800
        #expect(GIFAnimation(bytes, limits: limits).error?.code == .limitExceeded)
        limits = .standard
        limits.maximumPixelCount = 599
        #expect(GIFAnimation(bytes, limits: limits).error?.code == .limitExceeded)
        #expect(GIFAnimation(bytes, limits: limits).header == nil)
    }
}
