import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing
import TestSupport

@Suite("Animated PNG: encoding") struct APNGEncodingTests {
    private let stored = DecodingOptions(color: .asStored, maximumBitsPerChannel: 16)

    private func encode(
        _ frames: [Bitmap], durations: [Double]? = nil, options: EncodingOptions = EncodingOptions()
    ) throws -> [UInt8] {
        let buffer = ByteBuffer()
        try ImageDestination(format: .png, options: options).encode(count: frames.count, to: buffer) { index in
            (frames[index], durations?[index] ?? 0.1)
        }
        return buffer.bytes
    }

    /// Frames that differ from each other in a random rectangle, in all of it or in some of it.
    static func frames(_ format: PixelFormat, alpha: AlphaMode, count: Int = 8, seed: UInt64 = 1) throws -> [Bitmap] {
        var random = SeededGenerator(seed)
        var frames = [try Bitmap.pattern(40, 30, format, alpha: alpha)]
        for _ in 1..<count {
            var next = try frames.last!.mutableCopy()
            let other = try Bitmap.pattern(40, 30, format, alpha: alpha, seed: Int.random(in: 1...99, using: &random))
            let (x, y) = (Int.random(in: 0..<30, using: &random), Int.random(in: 0..<20, using: &random))
            let isDense = Bool.random(using: &random)
            let makesOpaque = Bool.random(using: &random)
            var rows = next.mutableRows
            let size = format.bytesPerPixel
            for row in y..<(y + 10) {
                var bytes = rows.bytes(row)
                for column in x..<(x + 10) where isDense || Int.random(in: 0..<4, using: &random) == 0 {
                    for byte in (column * size)..<((column + 1) * size) {
                        let isAlpha = !format.isGray && byte % size >= size * 3 / 4
                        let value = other.rows.bytes(row).unsafeLoad(fromByteOffset: byte, as: UInt8.self)
                        bytes.storeBytes(of: isAlpha && makesOpaque ? 255 : value, toByteOffset: byte, as: UInt8.self)
                    }
                }
            }
            frames.append(next.freeze())
        }
        return frames
    }

    @Test(
        "Every frame is read back",
        arguments: [
            (.gray8, .none), (.gray16, .none), (.rgba8, .none), (.rgba8, .straight), (.rgba16, .none),
            (.rgba16, .straight),
        ] as [(PixelFormat, AlphaMode)])
    func roundTrip(format: PixelFormat, alpha: AlphaMode) throws {
        for seed in 1...4 as ClosedRange<UInt64> {
            let frames = try Self.frames(format, alpha: alpha, seed: seed)
            let durations: [Double] = [0, 0.04, 1.0 / 24, 1.0 / 60, 0.1, 2.5, 12.345, 100]
            let source = try AnimatedImageSource(
                encode(frames, durations: durations, options: EncodingOptions(loopCount: Int(seed))), options: stored)
            #expect(source.error == nil && source.loopCount == Int(seed))
            for (index, frame) in frames.enumerated() {
                #expect(abs(source.frames[index].storedDuration - durations[index]) < 1e-4)
                #expect(try source.frame(at: index).samples16 == frame.samples16, "frame \(index)")
            }
            #expect(source.frames.dropFirst().contains { $0.region.size.pixelCount <= 100 })
        }
    }

    @Test("Frames are cropped to what changed, and blended where that is smaller")
    func framesAreCutToWhatChangedAndDrawnOverWhereThatIsSmaller() throws {
        var first = try MutableBitmap(
            BitmapInfo(size: PixelSize(width: 64, height: 64), format: .rgba8, alpha: .straight))
        var random = SeededGenerator(3)
        var rows = first.mutableRows
        for y in 0..<64 {
            var row = rows.row(y, as: RGBA8.self)
            for x in 0..<64 { row[x] = RGBA8(UInt8.random(in: 0...255, using: &random), 9, UInt8(x), 255) }
        }
        let noise = first.freeze()
        func changed(_ pixels: [(Int, Int)], _ color: RGBA8) throws -> Bitmap {
            var copy = try noise.mutableCopy()
            var rows = copy.mutableRows
            for (x, y) in pixels {
                var row = rows.row(y, as: RGBA8.self)
                row[x] = color
            }
            return copy.freeze()
        }
        let corners = try changed([(10, 12), (40, 50)], RGBA8(255, 0, 0))
        let hole = try changed([(20, 20), (22, 21)], RGBA8(0, 0, 0, 0))
        let source = try AnimatedImageSource(encode([noise, corners, corners, noise, hole]), options: stored)
        #expect(
            source.frames.map(\.region) == [
                PixelRect(x: 0, y: 0, width: 64, height: 64), PixelRect(x: 10, y: 12, width: 31, height: 39),
                PixelRect(x: 0, y: 0, width: 1, height: 1), PixelRect(x: 10, y: 12, width: 31, height: 39),
                PixelRect(x: 20, y: 20, width: 3, height: 2),
            ])
        #expect(source.frames.map(\.blending)[1] == .over && source.frames.map(\.blending)[4] == .source)
        for (index, frame) in [noise, corners, corners, noise, hole].enumerated() {
            #expect(try source.frame(at: index).tightBytes() == frame.tightBytes())
        }
    }

    @Test("Large frames in several chunks are read back")
    func largeFramesOfManyChunksComeBack() throws {
        let frames = try [0, 50].map { try Bitmap.pattern(700, 900, .rgba8, seed: $0) }
        let source = try AnimatedImageSource(encode(frames), options: stored)
        for index in 0..<2 { #expect(try source.frame(at: index).tightBytes() == frames[index].tightBytes()) }
    }

    @Test("Programs without support for animations see the first frame")
    func programsThatKnowNothingOfAnimationsSeeTheFirstFrame() throws {
        let frames = try Self.frames(.rgba8, alpha: .straight)
        let bytes = try encode(frames)
        let oracle = try #require(LibPNG.decode(bytes))
        #expect(oracle.samples == frames[0].samples16)
        #expect(try ImageSource.decode(bytes, options: stored).bitmap.samples16 == frames[0].samples16)
    }

    @Test("Profile and metadata are written once")
    func profileAndMetadataAreWrittenOnce() throws {
        let frames = try (0..<2).map {
            try Bitmap.pattern(8, 8, alpha: .none, profile: .icc(TestProfiles.wideRGB), seed: $0)
        }
        var metadata = ImageMetadata()
        metadata.xmp = Array("<x/>".utf8)
        let bytes = try encode(frames, options: EncodingOptions(metadata: metadata))
        let source = try AnimatedImageSource(bytes, options: stored)
        #expect(source.header?.profile == .icc(TestProfiles.wideRGB))
        #expect(source.header?.metadata.xmp == metadata.xmp)
        #expect(try source.frame(at: 1).profile == .icc(TestProfiles.wideRGB))
    }

    @Test("Frames that differ from the announced count, size or duration are refused")
    func otherThanPromisedIsRefused() throws {
        let bitmap = try Bitmap.pattern(8, 8)
        let sink = try PNGCodec().makeSequenceEncoder(
            bitmap.info, count: 2, options: EncodingOptions(), output: ByteBuffer())
        try sink.write(bitmap, duration: 1)
        #expect(errorCode { try sink.finish() } == .invalidParameter)
        let other = try Bitmap.pattern(8, 9)
        #expect(errorCode { try sink.write(other, duration: 1) } == .invalidParameter)
        try sink.write(bitmap, duration: .nan)
        #expect(errorCode { try sink.write(bitmap, duration: 1) } == .invalidParameter)
        try sink.finish()
        let premultiplied = BitmapInfo(size: bitmap.size, format: .rgba8, alpha: .premultiplied)
        for (info, count) in [(premultiplied, 1), (bitmap.info, 0)] {
            #expect(
                errorCode {
                    try PNGCodec().makeSequenceEncoder(
                        info, count: count, options: EncodingOptions(), output: ByteBuffer())
                } == .invalidParameter)
        }
    }
}
