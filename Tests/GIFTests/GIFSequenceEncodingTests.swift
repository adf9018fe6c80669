import ImageFormats
import ImageFormatsTestSupport
import Raster
import SamplePictures
import Testing
import TestSupport

@Suite("GIF animation encoding")
struct GIFSequenceEncodingTests {
    private static let size = PixelSize(width: 40, height: 30)

    /// A square of `color` that wanders over `background`.
    private static func wandering(_ count: Int, background: RGBA8, color: (Int) -> RGBA8) throws -> [Bitmap] {
        try (0..<count).map { step in
            try GIFPictures.bitmap(
                size,
                (0..<size.pixelCount).map { place in
                    let (x, y) = (place % size.width, place / size.width)
                    let isInside = (step * 3..<(step * 3 + 8)).contains(x) && (step * 2..<(step * 2 + 8)).contains(y)
                    return isInside ? color(step) : background
                })
        }
    }

    @Test("Only changed pixels are written")
    func onlyWhatChangedIsWritten() throws {
        let frames = try Self.wandering(8, background: RGBA8(9, 9, 9)) { _ in RGBA8(200, 0, 0) }
        let animation = GIFAnimation(try GIFPictures.encode(frames, frames.map { _ in 0.1 }))
        #expect(animation.shown == frames.map(\.pixels))
        #expect(animation.frames[0].region == PixelRect(Self.size))
        #expect(animation.frames[3].region == PixelRect(x: 6, y: 4, width: 11, height: 10))
        #expect(animation.frames.allSatisfy { $0.disposal == .keep })
        #expect(animation.info?.alpha == AlphaMode.none)
    }

    @Test("Pixels that become transparent are cleared")
    func whatBecomesTransparentIsCleared() throws {
        let frames = try Self.wandering(8, background: RGBA8(0, 0, 0, 0)) { _ in RGBA8(200, 0, 0) }
        let animation = GIFAnimation(try GIFPictures.encode(frames, frames.map { _ in 0.1 }))
        #expect(animation.shown == frames.map(\.pixels))
        #expect(animation.frames.dropLast().allSatisfy { $0.disposal == .background })
        #expect(animation.frames.last?.disposal == .keep)
    }

    @Test("Objects that appear and vanish are drawn in the right frames")
    func framesThatAppearAndGo() throws {
        // Opaque, transparent, a change in a part only, and the same again, in random order.
        var random = SeededGenerator(7)
        for _ in 0..<20 {
            var pixels = [RGBA8](repeating: RGBA8(0, 0, 0, 0), count: Self.size.pixelCount)
            var frames: [Bitmap] = []
            for _ in 0..<6 {
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    let color =
                        Bool.random(using: &random)
                        ? RGBA8(0, 0, 0, 0) : RGBA8(UInt8.random(in: 0...3, using: &random) * 60, 7, 7)
                    let (x, y) = (Int.random(in: 0..<40, using: &random), Int.random(in: 0..<30, using: &random))
                    for row in y..<min(30, y + 12) {
                        for column in x..<min(40, x + 12) { pixels[row * 40 + column] = color }
                    }
                }
                frames.append(try GIFPictures.bitmap(Self.size, pixels))
            }
            let animation = GIFAnimation(try GIFPictures.encode(frames, frames.map { _ in 0.05 }))
            #expect(animation.shown == frames.map(\.pixels) && animation.error == nil)
        }
    }

    @Test("Every frame can have its own colours")
    func everyFrameMayHaveColoursOfItsOwn() throws {
        let frames = try (0..<5).map {
            try GIFPictures.random(
                40, 30, colors: [255, 256, 3, 256, 200][$0], hasTransparency: $0 == 0, seed: UInt64($0))
        }
        let animation = GIFAnimation(try GIFPictures.encode(frames, frames.map { _ in 1 }))
        #expect(animation.shown == frames.map(\.pixels))
    }

    @Test("The first frame's colours are shared when they suffice")
    func coloursOfTheFirstFrameAreSharedWhereTheyDo() throws {
        let shared = try Self.wandering(20, background: RGBA8(9, 9, 9)) { _ in RGBA8(200, 0, 0) }
        let own = try Self.wandering(20, background: RGBA8(9, 9, 9)) { RGBA8(200, UInt8($0), 0) }
        let durations = shared.map { _ in 0.1 }
        // A table of two colours takes six bytes a frame, until the square has left the picture.
        let (sharedBytes, ownBytes) = try (GIFPictures.encode(shared, durations), GIFPictures.encode(own, durations))
        #expect(ownBytes.count - sharedBytes.count >= 15 * 6)
        #expect(GIFAnimation(ownBytes).shown == own.map(\.pixels))
    }

    @Test("Unchanged pixels keep their palette colour")
    func whatDoesNotChangeKeepsTheColourItGot() throws {
        // More colours than a palette has; the second frame changes a corner.
        let first = try SamplePicture.valley.makeBitmap(size: Self.size)
        var pixels = first.pixels
        for place in 0..<100 { pixels[place] = RGBA8(255, 0, 255) }
        let frames = [first, try GIFPictures.bitmap(Self.size, pixels, alpha: first.alpha)]
        let animation = GIFAnimation(try GIFPictures.encode(frames, [0.1, 0.1]))
        #expect(animation.shown[0].dropFirst(100) == animation.shown[1].dropFirst(100))
        #expect(animation.shown[1].prefix(100).allSatisfy { $0 == RGBA8(255, 0, 255) })
    }

    @Test(
        "Durations are written",
        arguments: [
            // A third of a tenth: what rounding takes from one frame the next one gets.
            ([1.0 / 30, 1.0 / 30, 1.0 / 30, 1.0 / 30, 1.0 / 30, 1.0 / 30], [3, 4, 3, 3, 4, 3]),
            ([0.1, 0, 0.005, 0.25], [10, 0, 1, 25]),
            // Less than two hundredths would be taken for ten of them.
            ([1.0 / 60, 1.0 / 60, 1.0 / 60, 1], [2, 2, 2, 99]),
            ([700, 2000, 0.5], [65535, 65535, 50]),
        ] as [([Double], [Int])])
    func durations(asked: [Double], written: [Int]) throws {
        let frames = try Self.wandering(asked.count, background: RGBA8(1, 1, 1)) { _ in RGBA8(2, 2, 2) }
        let animation = GIFAnimation(try GIFPictures.encode(frames, asked))
        #expect(animation.frames.map { Int(($0.storedDuration * 100).rounded()) } == written)
    }

    @Test("The loop count is written", arguments: [0, 1, 2, 3, 65536])
    func loops(count: Int) throws {
        let frames = try Self.wandering(2, background: RGBA8(1, 1, 1)) { _ in RGBA8(2, 2, 2) }
        let file = try GIFPictures.encode(frames, [1, 1], options: EncodingOptions(loopCount: count))
        #expect(GIFAnimation(file).header?.sequence == ImageSequence(.animation, count: 2, loopCount: count))
    }

    @Test("Invalid sequences and options are refused")
    func refusals() throws {
        let frames = try Self.wandering(2, background: RGBA8(1, 1, 1)) { _ in RGBA8(2, 2, 2) }
        let sink = try GIFCodec().makeSequenceEncoder(
            frames[0].info, count: 2, options: EncodingOptions(), output: ByteBuffer())
        for duration in [-1, Double.nan, .infinity] {
            #expect(errorCode { try sink.write(frames[0], duration: duration) } == .invalidParameter)
        }
        let other = try GIFPictures.random(3, 3, colors: 2, hasTransparency: false)
        #expect(errorCode { try sink.write(other, duration: 1) } == .invalidParameter)
        try sink.write(frames[0], duration: 1)
        #expect(errorCode { try sink.finish() } == .invalidParameter)
        let full = try GIFCodec().makeSequenceEncoder(
            frames[0].info, count: 1, options: EncodingOptions(), output: ByteBuffer())
        try full.write(frames[0], duration: 1)
        #expect(errorCode { try full.write(frames[1], duration: 1) } == .invalidParameter)
        #expect(
            errorCode {
                try GIFCodec().makeSequenceEncoder(
                    frames[0].info, count: 0, options: EncodingOptions(), output: ByteBuffer())
            } == .invalidParameter)
    }
}
