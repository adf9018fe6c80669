#if JPEGXL
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("JPEG XL animations")
struct JPEGXLAnimationTests {
    private static func frames(_ count: Int) throws -> [Bitmap] {
        try (0..<count).map { try JPEGXLFixture.bitmap(.rgba8, 50, 40, alpha: .straight, seed: UInt64($0)) }
    }

    private static func decoder(
        _ file: [UInt8], options: DecodingOptions = DecodingOptions(color: .asStored)
    ) throws -> any AnimationDecoder {
        try JPEGXLCodec().makeAnimationDecoder(for: FormatProbe(whole: file.span.bytes), options: options)
    }

    @Test("Frames, durations and loops are read back, by djxl too", arguments: [0, 1, 7])
    func roundTrip(loopCount: Int) throws {
        let frames = try Self.frames(4)
        let durations = [0.04, 0.001, 2.5, 0.333]
        let file = try JPEGXLFixture.animation(frames, durations: durations, loopCount: loopCount)
        let decoder = try Self.decoder(file)
        try decoder.append(file.span.bytes)
        try decoder.finish()
        let info = try decoder.start()
        #expect(info == frames[0].info)
        #expect(decoder.header?.sequence == ImageSequence(.animation, count: 4, loopCount: loopCount))
        #expect(decoder.frames.map { ($0.storedDuration * 1000).rounded() } == durations.map { ($0 * 1000).rounded() })
        let whole = PixelRect(x: 0, y: 0, width: 50, height: 40)
        #expect(decoder.frames.allSatisfy { $0.region == whole && $0.blending == .source && $0.disposal == .keep })
        for index in [0, 1, 2, 3, 1, 3, 0, 0] {
            #expect(try decoder.decodeFrame(at: index).tightBytes() == frames[index].tightBytes())
        }
        // As a still, it is its first frame.
        let still = DecoderSession(JPEGXLCodec(), file)
        #expect(still.isComplete && still.bitmap?.tightBytes() == frames[0].tightBytes())
        #expect(still.header?.sequence?.kind == .animation)
        guard DJXL.isInstalled else { return }
        let theirs = try #require(try DJXL.decode(file))
        #expect(theirs.map { $0.samples(as: info) } == frames.map(\.storedSamples))
    }

    @Test("Frames play as they arrive, and a truncated file keeps its frames")
    func arrival() throws {
        let frames = try Self.frames(4)
        let bare = try JPEGXLFixture.animation(frames, durations: [0.1, 0.1, 0.1, 0.1])
        for file in [bare, JPEGXLFixture.boxed(bare), JPEGXLFixture.boxed(bare, parts: 5)] {
            for cut in [0, 1, file.count / 3, file.count - 20] {
                let decoder = try Self.decoder(file)
                var (isStarted, known) = (false, 0)
                for start in stride(from: 0, to: file.count - cut, by: 53) {
                    try decoder.append(file.span.bytes.extracting(start..<min(start + 53, file.count - cut)))
                    if decoder.header != nil, !isStarted {
                        _ = try decoder.start()
                        isStarted = true
                    }
                    #expect(decoder.frames.count >= known)
                    for index in known..<decoder.frames.count {
                        #expect(try decoder.decodeFrame(at: index).tightBytes() == frames[index].tightBytes())
                    }
                    known = decoder.frames.count
                }
                #expect(known < 4)
                let code = errorCode { try decoder.finish() }
                #expect(code == (cut == 0 ? nil : .truncated))
                #expect(decoder.frames.count == (cut == 0 ? 4 : known))
                #expect(decoder.header?.sequence?.count == (cut == 0 ? 4 : nil))
                #expect(cut != 1 || known == 3)
                for index in decoder.frames.indices {
                    #expect(try decoder.decodeFrame(at: index).tightBytes() == frames[index].tightBytes())
                }
                #expect(errorCode { try decoder.decodeFrame(at: decoder.frames.count) } == .invalidParameter)
            }
        }
    }

    @Test("A still image has one frame, and any file plays")
    func sources() throws {
        let frames = try Self.frames(3)
        let still = try JPEGXLFixture.file(frames[0], EncodingOptions(isLossless: true))
        let one = try AnimatedImageSource(still)
        #expect(one.isComplete && one.frameCount == 1 && one.loopCount == 1)
        #expect(try one.frame(at: 0).tightBytes() == frames[0].tightBytes())
        let three = try AnimatedImageSource(
            try JPEGXLFixture.animation(frames, durations: [0.1, 0.2, 0.3], loopCount: 5))
        #expect(three.isComplete && three.frameCount == 3 && three.loopCount == 5)
        for index in [2, 0, 1] { #expect(try three.frame(at: index).tightBytes() == frames[index].tightBytes()) }
    }

    @Test("Surplus frames and calls out of order are refused")
    func refusals() throws {
        let frames = try Self.frames(3)
        let file = try JPEGXLFixture.animation(frames, durations: [0.1, 0.1, 0.1])
        var options = DecodingOptions()
        options.limits.maximumFrameCount = 2
        let limited = try Self.decoder(file, options: options)
        #expect(
            errorCode {
                try limited.append(file.span.bytes)
                try limited.finish()
            } == .limitExceeded)
        let decoder = try Self.decoder(file)
        #expect(errorCode { try decoder.start() } == .invalidParameter)
        try decoder.append(file.span.bytes)
        #expect(errorCode { try decoder.decodeFrame(at: 0) } == .invalidParameter)
        options = DecodingOptions()
        options.limits.maximumWorkingByteCount = 10_000
        let poor = try Self.decoder(file, options: options)
        try poor.append(file.span.bytes)
        #expect(errorCode { try poor.start() } == .limitExceeded)
    }

    @Test("Frames that don't match the announced format are refused")
    func encoderRefusals() throws {
        let frames = try Self.frames(2)
        func sink(_ count: Int) throws(ImageError) -> any FrameSink {
            try JPEGXLCodec()
                .makeSequenceEncoder(frames[0].info, count: count, options: EncodingOptions(), output: ByteBuffer())
        }
        #expect(errorCode { try sink(0) } == .invalidParameter)
        let short = try sink(2)
        try short.write(frames[0], duration: 0.1)
        #expect(errorCode { try short.finish() } == .invalidParameter)
        let full = try sink(1)
        #expect(errorCode { try full.write(frames[0], duration: .nan) } == .invalidParameter)
        #expect(errorCode { try full.write(frames[0], duration: -1) } == .invalidParameter)
        #expect(
            errorCode { try full.write(try JPEGXLFixture.bitmap(.gray8, 50, 40), duration: 1) } == .invalidParameter)
        try full.write(frames[0], duration: 0)
        #expect(errorCode { try full.write(frames[1], duration: 0.1) } == .invalidParameter)
        try full.finish()
    }
}
#endif
