#if WebP
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("WebP: encoding")
struct WebPEncodingTests {
    typealias Fixture = WebPFixture

    @Test("Lossless files keep every pixel, transparent ones too", arguments: [0, 4, 6])
    func lossless(method: Int) throws {
        var options = EncodingOptions(isLossless: true)
        options.webP.method = method
        for (width, height) in [(1, 1), (64, 48), (33, 77)] {
            let pattern = try Bitmap.pattern(width, height, alpha: .straight)
            #expect(
                try DecoderSession(webP: Fixture.encode(pattern, options)).bitmap?.tightBytes() == pattern.tightBytes())
        }
        let hidden = try Fixture.plain(9, 9, RGBA8(200, 100, 50, 0))
        #expect(try DecoderSession(webP: Fixture.encode(hidden, options)).bitmap?.tightBytes() == hidden.tightBytes())
    }

    @Test(
        "Files equal cwebp's at the same settings", .enabled(if: WebPTools.areInstalled),
        arguments: [(0.8, 4, false), (0.3, 0, false), (1, 6, false), (0.5, 4, true), (0.9, 1, true)]
            as [(Double, Int, Bool)])
    func sameAsCwebp(quality: Double, method: Int, lossless: Bool) throws {
        for alpha in [AlphaMode.none, .straight] {
            for (width, height) in [(120, 90), (61, 83)] {
                let sample = try Fixture.sample(width, height, alpha: alpha)
                let png = ByteBuffer()
                try PNGCodec().encode(sample, options: EncodingOptions(), output: png)
                var options = EncodingOptions(quality: quality, isLossless: lossless)
                options.webP.method = method
                let arguments =
                    lossless
                    ? ["-lossless", "-exact", "-q", "75", "-m", "\(method)"]
                    : ["-q", "\(Int(quality * 100))", "-m", "\(method)"]
                let theirs = try WebPTools.encode(png: png.bytes, arguments)
                let ours = try Fixture.encode(sample, options)
                #expect(
                    DecoderSession(webP: ours).bitmap?.tightBytes() == DecoderSession(webP: theirs).bitmap?.tightBytes()
                )
                #expect(ours.count == theirs.count)
                #expect(try WebPTools.info(ours) != nil)
            }
        }
    }

    @Test("Rows may come in strips of any height", arguments: [true, false])
    func strips(lossless: Bool) throws {
        let options = EncodingOptions(isLossless: lossless)
        for alpha in [AlphaMode.none, .straight] {
            let sample = try Fixture.sample(50, 151, alpha: alpha)
            let whole = try Fixture.encode(sample, options)
            for height in [1, 2, 3, 70, 151] {
                let buffer = ByteBuffer()
                let encoder = try WebPCodec().makeEncoder(sample.info, options: options, output: buffer)
                for y in stride(from: 0, to: 151, by: height) {
                    try encoder.write(sample.rows.extracting(y..<min(151, y + height)))
                }
                try encoder.finish()
                #expect(buffer.bytes == whole)
            }
        }
    }

    @Test("Missing and surplus rows are refused")
    func misuse() throws {
        let sample = try Fixture.sample(5, 5)
        let encoder = try WebPCodec().makeEncoder(sample.info, options: EncodingOptions(), output: ByteBuffer())
        #expect(errorCode { try encoder.finish() } == .invalidParameter)
        try encoder.write(sample.rows)
        #expect(errorCode { try encoder.write(sample.rows) } == .invalidParameter)
    }

    @Test("ImageDestination writes any image")
    func destination() throws {
        let gray = try Bitmap.pattern(20, 10, .gray16, alpha: .none)
        let file = try ImageDestination(format: .webP, options: EncodingOptions(isLossless: true)).encode(gray)
        let bitmap = try #require(DecoderSession(webP: file).bitmap)
        #expect(bitmap.alpha == .none && bitmap.samples16.count == gray.samples16.count)
        #expect(zip(bitmap.samples16, gray.samples16).allSatisfy { abs(Int($0) - Int($1)) <= 129 })
    }

    // MARK: Animations

    /// A dot that goes over a photograph, stands still once, and ends on another picture.
    static func frames() throws -> [Bitmap] {
        let background = try Fixture.sample(40, 30, alpha: .straight)
        var frames: [Bitmap] = []
        for step in [0, 7, 7, 33] {
            var copy = try background.mutableCopy()
            var rows = copy.mutableRows
            for y in 10..<15 {
                var row = rows.row(y, as: RGBA8.self)
                for x in step..<(step + 5) { row[x] = RGBA8(255, UInt8(step), 0, 90) }
            }
            frames.append(copy.freeze())
        }
        return frames + [try Bitmap.pattern(40, 30, alpha: .straight)]
    }

    static func animation(_ frames: [Bitmap], _ options: EncodingOptions, durations: [Double]) throws -> [UInt8] {
        let buffer = ByteBuffer()
        let encoder = try WebPCodec().makeSequenceEncoder(
            frames[0].info, count: frames.count, options: options, output: buffer)
        for (frame, duration) in zip(frames, durations) { try encoder.write(frame, duration: duration) }
        try encoder.finish()
        return buffer.bytes
    }

    /// What a reader shows of frames that stay, and whose pixels are opaque or left out where they are drawn over others.
    static func shown(_ session: WebPAnimationSession) throws -> [[RGBA8]] {
        let size = try #require(session.header?.storedSize)
        var canvas = [RGBA8](repeating: RGBA8(0, 0, 0, 0), count: size.pixelCount)
        return try session.frames.indices.map { index in
            let (frame, pixels) = (session.frames[index], try #require(session.bitmaps[index]).pixels)
            #expect(frame.disposal == .keep)
            for y in 0..<frame.region.height {
                for x in 0..<frame.region.width {
                    let pixel = pixels[y * frame.region.width + x]
                    if frame.blending == .over {
                        #expect(pixel.alpha == 0 || pixel.alpha == 255)
                        guard pixel.alpha == 255 else { continue }
                    }
                    canvas[(frame.region.y + y) * size.width + frame.region.x + x] = pixel
                }
            }
            return canvas
        }
    }

    @Test("Lossless animations keep every frame")
    func losslessAnimation() throws {
        let frames = try Self.frames()
        let options = EncodingOptions(isLossless: true, loopCount: 5)
        let file = try Self.animation(frames, options, durations: [0.1, 0.2, 0.3, 0, 1])
        let session = WebPAnimationSession(file)
        #expect(session.error == nil)
        #expect(session.header?.sequence == ImageSequence(.animation, count: 5, loopCount: 5))
        #expect(try Self.shown(session) == frames.map(\.pixels))
        #expect(session.frames.map(\.storedDuration) == [0.1, 0.2, 0.3, 0, 1])
        // Only what differs is written.
        #expect(session.frames[1].region == PixelRect(x: 0, y: 10, width: 12, height: 5))
        #expect(session.frames[2].region.size.pixelCount == 1)
    }

    @Test("Unchanged pixels are left out where that takes fewer bytes", .needsPillow)
    func drawnOver() throws {
        let noise = try Bitmap.pattern(64, 48, alpha: .none)
        var copy = try noise.mutableCopy()
        var rows = copy.mutableRows
        for y in [0, 47] {
            var row = rows.row(y, as: RGBA8.self)
            for x in [1, 62] { row[x] = RGBA8(255, 0, 255) }
        }
        let frames = [noise, copy.freeze()]
        let file = try Self.animation(frames, EncodingOptions(isLossless: true), durations: [0.1, 0.1])
        let session = WebPAnimationSession(file)
        #expect(session.frames[1].blending == .over)
        #expect(try Self.shown(session) == frames.map(\.pixels))
        #expect(try Pillow.frames(file)?.map(\.samples) == frames.map { $0.tightBytes() })
    }

    @Test("Lossy animations come close to every frame")
    func lossyAnimation() throws {
        let frames = try (0..<3).map { step in
            let source = try Fixture.sample(60, 40)
            return try source.cropped(to: PixelRect(x: step * 8, y: 0, width: 40, height: 30))
        }
        let file = try Self.animation(frames, EncodingOptions(quality: 0.95), durations: [0.1, 0.1, 0.1])
        let shown = try Self.shown(WebPAnimationSession(file))
        for (pixels, frame) in zip(shown, frames) {
            let errors = zip(pixels, frame.pixels).map { abs(Int($0.green) - Int($1.green)) }
            #expect(errors.reduce(0, +) < 4 * errors.count)
        }
    }

    @Test("Durations don't drift")
    func durations() throws {
        let frame = try Fixture.plain(2, 2, RGBA8(1, 2, 3))
        let file = try Self.animation(
            [Bitmap](repeating: frame, count: 60), EncodingOptions(),
            durations: [Double](repeating: 1.0 / 60, count: 60))
        let milliseconds = WebPAnimationSession(file).frames.map { Int(($0.storedDuration * 1000).rounded()) }
        #expect(milliseconds.reduce(0, +) == 1000 && Set(milliseconds) == [16, 17])
    }

    @Test("Invalid animations are refused")
    func refusedAnimations() throws {
        let frame = try Fixture.plain(2, 2, RGBA8(1, 2, 3))
        let other = try Fixture.plain(3, 2, RGBA8(1, 2, 3))
        func sink(_ count: Int) throws -> any FrameSink {
            try WebPCodec().makeSequenceEncoder(
                frame.info, count: count, options: EncodingOptions(), output: ByteBuffer())
        }
        #expect(errorCode { _ = try sink(0) } == .invalidParameter)
        #expect(errorCode { try sink(1).finish() } == .invalidParameter)
        #expect(errorCode { try sink(1).write(other, duration: 1) } == .invalidParameter)
        for duration in [-1, .nan, .infinity, 20_000] as [Double] {
            #expect(errorCode { try sink(1).write(frame, duration: duration) } == .invalidParameter)
        }
        let full = try sink(1)
        try full.write(frame, duration: 1)
        #expect(errorCode { try full.write(frame, duration: 1) } == .invalidParameter)
    }

    @Test("Other programs read our animations", .enabled(if: WebPTools.areInstalled), .needsPillow)
    func animationsElsewhere() throws {
        let frames = try Self.frames()
        let file = try Self.animation(
            frames, EncodingOptions(isLossless: true), durations: [0.1, 0.2, 0.3, 0.4, 1])
        #expect(try WebPTools.info(file) != nil)
        let seen = try #require(try Pillow.frames(file)).map(\.samples)
        #expect(seen.count == 5)
        for (bytes, frame) in zip(seen, frames) { #expect(bytes == frame.tightBytes()) }
    }
}
#endif
