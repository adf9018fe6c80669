import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

@Suite("Animated PNG: decoding") struct APNGDecodingTests {
    private let size = PixelSize(width: 19, height: 11)
    private let registry = CodecRegistry([PNGCodec()])

    private func stored(_ bits: Int = 16, index: Int? = nil) -> DecodingOptions {
        DecodingOptions(color: .asStored, maximumBitsPerChannel: bits, imageIndex: index)
    }

    private static let kinds: [(type: Int, depth: Int)] = [
        (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 2), (3, 4), (3, 8), (4, 8), (4, 16),
        (6, 8), (6, 16),
    ]

    @Test("Every pixel format, disposal and blending is composed correctly", arguments: kinds)
    func composition(kind: (type: Int, depth: Int)) throws {
        for variant in 0..<4 {
            let file = APNGFixture(
                size, count: 9, colorType: kind.type, bitDepth: kind.depth, isInterlaced: variant & 1 != 0,
                isKeyed: variant & 2 != 0 && kind.type < 4, hasPoster: variant == 1 || variant == 2,
                seed: UInt64(variant + 1))
            for bits in [8, 16] {
                let format: PixelFormat = bits == 16 && kind.depth == 16 ? .rgba16 : .rgba8
                let expected = file.book(format).composed
                let source = try AnimatedImageSource(file.bytes, options: stored(bits), registry: registry)
                #expect(source.error == nil && source.frames == file.frames)
                for index in 0..<9 {
                    let frame = try source.frame(at: index)
                    #expect(frame.format == format && frame.alpha == .straight)
                    #expect(frame.storedSamples == expected[index], "frame \(index), variant \(variant)")
                }
            }
        }
    }

    @Test("A still image shows the first frame or the default image, and is marked as animated")
    func aStillShowsTheFirstFrameOrThePosterAndSaysThatItIsOfAnAnimation() throws {
        for hasPoster in [false, true] {
            var file = APNGFixture(
                size, count: 5, colorType: 6, bitDepth: 8, hasPoster: hasPoster, seed: 4)
            file.playCount = 3
            let bytes = file.bytes
            let match = registry.identify(FormatProbe(whole: bytes.span.bytes))
            #expect(match == .match(.png, .animated))
            let still = try ImageSource.decode(bytes, options: stored(), registry: registry)
            let expected = (file.poster ?? file.pictures[0]).expected
            #expect(still.error == nil && still.bitmap.samples16 == expected)
            #expect(still.header.sequence == ImageSequence(.animation, count: 5, loopCount: 3))
            for (index, composed) in file.book(.rgba8).composed.enumerated() {
                let frame = try ImageSource.decode(bytes, options: stored(8, index: index), registry: registry)
                #expect(frame.error == nil && frame.bitmap.storedSamples == composed)
            }
            #expect(
                errorCode { try ImageSource.decode(bytes, options: stored(index: 5), registry: registry) }
                    == .invalidParameter)
        }
    }

    @Test("The still image of a one-frame animation is that frame, not the hidden default image", arguments: 1...4)
    func hiddenPicture(seed: UInt64) throws {
        let file = APNGFixture(size, count: 1, colorType: 2, bitDepth: 8, hasPoster: true, seed: seed)
        let (bytes, expected) = (file.bytes, file.book(.rgba8).composed[0])
        for round in 0..<4 {
            let session = DecoderSession(png: bytes, splits: DecoderSession.splits(of: bytes.count, round: round))
            #expect(session.error == nil && session.isComplete)
            #expect(session.bitmap?.storedSamples == expected)
            #expect(session.header?.sequence == ImageSequence(.animation, count: 1, loopCount: 0))
            #expect(session.header?.hasAlpha == true)
        }
        let cut = DecoderSession(png: Array(bytes.dropLast(30)))
        #expect(cut.error != nil && !cut.isComplete)
    }

    @Test("A plain PNG is an animation of one frame")
    func aPlainPNGIsAnAnimationOfOneFrame() throws {
        let file = PNGFixture(9, 7, colorType: 2, bitDepth: 8)
        let source = try AnimatedImageSource(file.bytes, options: stored(), registry: registry)
        #expect(source.frames.count == 1 && source.loopCount == 1 && source.isComplete)
        #expect(source.header?.sequence == nil && source.frames[0].duration == 0.1)
        let frame = try source.frame(at: 0)
        #expect(frame.alpha == .none && frame.samples16 == file.expected)
        let bytes = file.bytes
        let match = registry.identify(FormatProbe(whole: bytes.span.bytes))
        #expect(match == .match(.png))
    }

    @Test("Any split gives the same frames in order", arguments: [1, 13, 400])
    func splits(step: Int) throws {
        let file = APNGFixture(size, count: 4, colorType: 6, bitDepth: 8, seed: 8)
        let (bytes, expected) = (file.bytes, file.book(.rgba8).composed)
        let source = AnimatedImageSource(options: stored(), registry: registry)
        var arrived: [Int] = []
        for start in stride(from: 0, to: bytes.count, by: step) {
            for case .frame(let index) in try source.append(Array(bytes[start..<min(bytes.count, start + step)])) {
                #expect(try source.frame(at: index).storedSamples == expected[index])
                arrived.append(start)
            }
        }
        try source.finish()
        // A frame's control chunk alone has 38 bytes: in smaller pieces no two frames come at once.
        #expect(arrived.count == 4 && (step > 38 || Set(arrived).count == 4))
    }

    @Test("Delays are fractions")
    func delaysAreFractions() throws {
        var file = APNGFixture(size, count: 2, colorType: 0, bitDepth: 8, seed: 1)
        for (numerator, denominator, expected) in [
            (1, 24, 1.0 / 24), (7, 0, 0.07), (0, 0, 0), (65535, 1, 65535),
        ] as [(Int, Int, Double)] {
            file.delay = (numerator, denominator)
            let source = try AnimatedImageSource(file.bytes, registry: registry)
            #expect(source.frames.map(\.storedDuration) == [expected, expected])
        }
    }
}
