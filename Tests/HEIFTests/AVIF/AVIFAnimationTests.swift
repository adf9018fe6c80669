#if AVIF
import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("AVIF: animations", .enabled(if: AVIFCodec().canEncode, "libavif has no encoder for AV1"))
struct AVIFAnimationTests {
    /// Frames of one colour each, lossless.
    static let colors = [RGBA8(255, 0, 0), RGBA8(0, 200, 0), RGBA8(10, 20, 255), RGBA8(7, 7, 7)]
    static let durations = [0.1, 0.04, 1.0 / 30, 2]

    static func frame(_ color: RGBA8, width: Int = 24, height: Int = 16) throws -> Bitmap {
        try .plain(color, PixelSize(width: width, height: height))
    }

    static func file() throws -> [UInt8] {
        let buffer = ByteBuffer()
        let sink = try AVIFCodec().makeSequenceEncoder(
            frame(colors[0]).info, count: colors.count,
            options: EncodingOptions(isLossless: true, avif: EncodingOptions.AVIF(speed: 6)), output: buffer)
        for (color, duration) in zip(colors, durations) { try sink.write(frame(color), duration: duration) }
        try sink.finish()
        return buffer.bytes
    }

    static func decoder(_ file: [UInt8]) throws -> any AnimationDecoder {
        try AVIFCodec().makeAnimationDecoder(
            for: FormatProbe(whole: file.span.bytes), options: DecodingOptions(color: .asStored))
    }

    @Test("Every frame is read back, in any order, with its duration")
    func roundTrip() throws {
        let file = try Self.file()
        #expect(CodecRegistry.builtIn.identify(FormatProbe(whole: file.span.bytes)) == .match(.avif, .animated))
        let decoder = try Self.decoder(file)
        try decoder.append(file.span.bytes)
        try decoder.finish()
        #expect(decoder.header?.sequence == ImageSequence(.animation, count: 4, loopCount: 0))
        #expect(decoder.frames.map(\.region.size) == Array(repeating: PixelSize(width: 24, height: 16), count: 4))
        for (frame, duration) in zip(decoder.frames, Self.durations) {
            #expect(abs(frame.storedDuration - duration) < 1e-5 && frame.blending == .source)
        }
        #expect(try decoder.start().alpha == AlphaMode.none)
        for index in [0, 1, 2, 3, 1, 3, 0] {
            #expect(try decoder.decodeFrame(at: index).tightBytes() == Self.frame(Self.colors[index]).tightBytes())
        }
        #expect(errorCode { try decoder.decodeFrame(at: 4) } == .invalidParameter)
    }

    @Test("Frames play as soon as their bytes have arrived")
    func arriving() throws {
        let file = try Self.file()
        let decoder = try Self.decoder(file)
        var counts: [Int] = []
        for start in stride(from: 0, to: file.count, by: 16) {
            try decoder.append(file.span.bytes.extracting(start..<min(file.count, start + 16)))
            if decoder.frames.count != counts.last ?? 0 {
                if counts.isEmpty { _ = try decoder.start() }
                counts.append(decoder.frames.count)
                let last = decoder.frames.count - 1
                #expect(try decoder.decodeFrame(at: last).tightBytes() == Self.frame(Self.colors[last]).tightBytes())
            }
        }
        #expect(counts.count > 1 && counts.last == 4, "\(counts)")
        try decoder.finish()
        #expect(decoder.frames.count == 4)
    }

    @Test("A truncated file keeps its frames")
    func truncated() throws {
        let file = try Self.file()
        for count in stride(from: 0, to: file.count, by: 11) {
            let decoder = try Self.decoder(file)
            let code = errorCode {
                try decoder.append(file.span.bytes.extracting(first: count))
                try decoder.finish()
            }
            #expect(code == .truncated || code == .corrupt, "\(count) bytes: \(code as Any)")
            guard decoder.header != nil else { continue }
            _ = try decoder.start()
            for index in decoder.frames.indices {
                #expect(try decoder.decodeFrame(at: index).tightBytes() == Self.frame(Self.colors[index]).tightBytes())
            }
        }
    }

    @Test("The first frame is the still image, and others are available by index")
    func still() throws {
        let file = try Self.file()
        for (index, color) in [(nil, 0), (0, 0), (2, 2)] as [(Int?, Int)] {
            let decoded = try ImageSource.decode(file, options: DecodingOptions(imageIndex: index))
            #expect(decoded.header.sequence?.count == 4)
            #expect(try decoded.bitmap.tightBytes() == Self.frame(Self.colors[color]).tightBytes())
        }
    }

    @Test("Frames that don't match are refused")
    func refusals() throws {
        func sink(_ count: Int) throws -> any FrameSink {
            try AVIFCodec().makeSequenceEncoder(
                Self.frame(Self.colors[0]).info, count: count, options: EncodingOptions(), output: ByteBuffer())
        }
        #expect(errorCode { try sink(0) } == .invalidParameter)
        let one = try sink(1)
        let other = try Self.frame(Self.colors[0], width: 8)
        #expect(errorCode { try one.write(other, duration: 1) } == .invalidParameter)
        let two = try sink(2)
        try two.write(Self.frame(Self.colors[0]), duration: .nan)
        #expect(errorCode { try two.finish() } == .invalidParameter)
    }
}
#endif
