import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

@Suite("AnimatedImageSource") struct AnimatedImageSourceTests {
    private let size = PixelSize(width: 13, height: 9)
    /// Rows of 13 pixels take 64 bytes.
    private let canvasByteCount = 9 * 64
    private let stored = DecodingOptions(color: .asStored, maximumBitsPerChannel: 16)

    private func open(
        _ book: FlipBook, options: DecodingOptions? = nil, byteBudget: Int = AnimatedImageSource.defaultByteBudget,
        log: FlipCodec.Log = .init()
    ) throws -> AnimatedImageSource {
        try AnimatedImageSource(
            book.bytes, options: options ?? stored, byteBudget: byteBudget,
            registry: CodecRegistry([FlipCodec(log: log)]))
    }

    @Test("Frames follow the definitions of blending and disposal", arguments: 1...12)
    func composition(seed: UInt64) throws {
        for (format, alpha) in [(.rgba8, .straight), (.rgba8, .none), (.rgba16, .straight)]
            as [(PixelFormat, AlphaMode)]
        {
            let book = FlipBook(size, count: 20, format: format, alpha: alpha, seed: seed)
            let expected = book.composed
            let source = try open(book)
            #expect(source.frameCount == 20 && source.isComplete && source.error == nil && source.size == size)
            for index in 0..<20 {
                let frame = try source.frame(at: index)
                #expect(frame.info == book.info)
                #expect(frame.storedSamples == expected[index], "frame \(index)")
            }
        }
    }

    @Test("Any order and any budget give the same frames", arguments: [0, 1, 3, 5, 1000])
    func anyOrder(canvases: Int) throws {
        for seed in 1...8 as ClosedRange<UInt64> {
            let disposals: [AnimationFrame.Disposal] =
                seed % 4 == 0 ? [.previous, .previous, .keep] : [.keep, .background, .previous]
            let book = FlipBook(size, count: 40, disposals: disposals, fullFrames: 12, seed: seed)
            let expected = book.composed
            let source = try open(book, byteBudget: canvases * canvasByteCount)
            var random = SeededGenerator(seed)
            for round in 0..<120 {
                let index = Int.random(in: 0..<40, using: &random)
                #expect(try source.frame(at: index).storedSamples == expected[index], "frame \(index) of seed \(seed)")
                if round % 50 == 49 { source.removeDecodedPixels() }
            }
        }
    }

    @Test("Frames in order take one decode each, and none when they are cached")
    func framesInOrderTakeOneDecodeEachAndNoneOnceTheyAreKept() throws {
        let log = FlipCodec.Log()
        let source = try open(FlipBook(size, count: 30), log: log)
        for index in 0..<30 { _ = try source.frame(at: index) }
        #expect(log.decoded == Array(0..<30))
        for index in 0..<30 { _ = try source.frame(at: index) }
        #expect(log.decoded.count == 30)
        source.removeDecodedPixels()
        _ = try source.frame(at: 0)
        #expect(log.decoded.count == 31)
    }

    @Test("Frames in order take one decode each, whatever the budget", arguments: [0, 1, 3])
    func inOrder(canvases: Int) throws {
        let log = FlipCodec.Log()
        let source = try open(FlipBook(size, count: 100), byteBudget: canvases * canvasByteCount, log: log)
        for index in 0..<100 { _ = try source.frame(at: index) }
        #expect(log.decoded == Array(0..<100))
    }

    @Test("With cached canvases, a frame takes few decodes")
    func aFrameTakesFewDecodesOnceCanvasesAreKept() throws {
        let log = FlipCodec.Log()
        // 10 canvases for 200 frames, none of which covers the canvas: every 32nd is kept.
        let book = FlipBook(size, count: 200, disposals: [.keep], fullFrames: 1_000_000)
        let source = try open(book, byteBudget: 10 * canvasByteCount, log: log)
        for index in 0..<200 { _ = try source.frame(at: index) }
        for index in stride(from: 199, to: 0, by: -7) {
            log.clear()
            _ = try source.frame(at: index)
            #expect(log.decoded.count <= 32, "frame \(index)")
        }
    }

    @Test("Frames that leave nothing behind aren't decoded for others")
    func framesThatLeaveNothingBehindAreNotDecodedForOthers() throws {
        let log = FlipCodec.Log()
        var book = FlipBook(size, count: 50, disposals: [.previous, .background], fullFrames: 1_000_000)
        let source = try open(book, log: log)
        _ = try source.frame(at: 49)
        #expect(log.decoded == [49])
        // A frame that replaces the whole canvas needs none before it.
        book = FlipBook(size, count: 50, disposals: [.keep], fullFrames: 1)
        for index in book.frames.indices { book.frames[index].frame.blending = .source }
        log.clear()
        _ = try open(book, log: log).frame(at: 40)
        #expect(log.decoded == [40] || log.decoded == [39, 40])
    }

    @Test("The animation's properties are reported")
    func factsOfTheAnimationAreSaid() throws {
        var book = FlipBook(size, count: 3)
        book.loopCount = 7
        for (index, duration) in [0, 0.01, 0.011].enumerated() { book.frames[index].frame.storedDuration = duration }
        let source = try open(book)
        #expect(source.loopCount == 7)
        #expect(source.frames.map(\.duration) == [0.1, 0.1, 0.011])
        #expect(source.frames.map(\.storedDuration) == [0, 0.01, 0.011])
        #expect(source.frames == book.frames.map(\.frame))
        #expect(source.header?.sequence == ImageSequence(.animation, count: 3, loopCount: 7))
    }

    @Test("Frames are rotated, converted and reduced")
    func framesAreTurnedConvertedAndReduced() throws {
        var book = FlipBook(size, count: 4, profile: .icc(TestProfiles.wideRGB))
        book.orientation = .right
        let source = try open(book, options: DecodingOptions())
        let unchanged = try open(book, options: DecodingOptions(color: .asStored, appliesOrientation: false))
        #expect(source.size == PixelSize(width: 9, height: 13) && unchanged.size == size)
        for index in 0..<4 {
            let raw = try unchanged.frame(at: index)
            #expect(raw.profile == .icc(TestProfiles.wideRGB) && raw.size == size)
            let rows = RowsHead(raw.info).file([raw])
            let expected = try ImageSource.decode(rows, registry: .rows).bitmap.oriented(by: .right)
            let frame = try source.frame(at: index)
            #expect(frame.info == expected.info && frame.profile == .sRGB)
            #expect(frame.tightBytes() == expected.tightBytes())
            let small = try source.frame(at: index, targetSize: PixelSize(width: 3, height: 5))
            #expect(small.size == PixelSize(width: 3, height: 5))
        }
        let uniform = try AnimatedImageSource(
            FlipBook.uniform(size, RGBA8(10, 200, 90)).bytes, registry: .flip)
        let small = try uniform.frame(at: 0, targetSize: PixelSize(width: 2, height: 2))
        #expect(small.tightBytes() == Array(repeating: [10, 200, 90, 255], count: 4).flatMap { $0 })
    }

    @Test("An empty target size and missing frames are refused")
    func anEmptyTargetAndFramesThatArentThereAreRefused() throws {
        let source = try open(FlipBook(size, count: 3))
        #expect(errorCode { try source.frame(at: 3) } == .invalidParameter)
        #expect(errorCode { try source.frame(at: -1) } == .invalidParameter)
        #expect(
            errorCode { try source.frame(at: 0, targetSize: PixelSize(width: 0, height: 1)) } == .invalidParameter)
    }
}

extension FlipBook {
    /// One frame of one colour.
    static func uniform(_ size: PixelSize, _ color: RGBA8) -> FlipBook {
        var book = FlipBook(info: BitmapInfo(size: size, format: .rgba8, alpha: .straight), announced: 1)
        let pixels = Array(
            repeating: [color.red, color.green, color.blue, color.alpha], count: size.pixelCount
        ).flatMap { $0 }
        book.frames = [(AnimationFrame(region: PixelRect(size), storedDuration: 0), pixels)]
        return book
    }
}
