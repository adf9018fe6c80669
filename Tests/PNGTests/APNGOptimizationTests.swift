import ImageFormats
import ImageFormatsTestSupport
import Raster
import Testing

/// Smaller animations with the same frames.
@Suite("Animated PNG: optimization")
struct APNGOptimizationTests {
    private let registry = CodecRegistry([PNGCodec()])
    private let size = PixelSize(width: 37, height: 23)
    private static let kinds: [(type: Int, depth: Int)] = [
        (0, 1), (0, 8), (0, 16), (2, 8), (3, 2), (3, 8), (4, 8), (6, 8), (6, 16),
    ]

    @Test("Every frame, region, time and disposal stays, in fewer bytes", arguments: kinds)
    func keepsFrames(kind: (type: Int, depth: Int)) throws {
        for variant in 0..<4 {
            var file = APNGFixture(
                size, count: 5, colorType: kind.type, bitDepth: kind.depth, isKeyed: variant & 1 != 0 && kind.type < 4,
                hasPoster: variant & 2 != 0, seed: UInt64(variant + 1))
            file.playCount = 4
            let smaller = try #require(try PNGOptimization.smaller(file.bytes))
            #expect(smaller.count < file.bytes.count)
            let options = DecodingOptions(color: .asStored, maximumBitsPerChannel: 16)
            let (old, new) = (
                try AnimatedImageSource(file.bytes, options: options, registry: registry),
                try AnimatedImageSource(smaller, options: options, registry: registry)
            )
            #expect(new.error == nil && new.frames == old.frames && new.header?.sequence == old.header?.sequence)
            for index in 0..<5 {
                #expect(try new.frame(at: index).storedSamples == old.frame(at: index).storedSamples)
            }
            // The image for programs that know nothing of animations.
            let stills = try [file.bytes, smaller].map {
                try ImageSource.decode($0, options: options, registry: registry).bitmap.storedSamples
            }
            #expect(stills[0] == stills[1])
        }
    }

    @Test("Damaged and interlaced animations are refused")
    func refusals() throws {
        let file = APNGFixture(size, count: 3, colorType: 6, bitDepth: 8, seed: 1)
        #expect(errorCode { _ = try PNGOptimization.smaller(Array(file.bytes.dropLast(30))) } == .truncated)
        var short = file
        short.announcedCount = 4
        #expect(errorCode { _ = try PNGOptimization.smaller(short.bytes) } == .corrupt)
        var outside = file
        outside.changeControl = { index, control in if index == 1 { control[11] = 200 } }
        #expect(errorCode { _ = try PNGOptimization.smaller(outside.bytes) } == .corrupt)
        let interlaced = APNGFixture(size, count: 2, colorType: 6, bitDepth: 8, isInterlaced: true, seed: 1)
        #expect(errorCode { _ = try PNGOptimization.smaller(interlaced.bytes) } == .unsupported)
        var limits = DecodingLimits.standard
        limits.maximumWorkingByteCount = 1000
        #expect(errorCode { _ = try PNGOptimization.smaller(file.bytes, limits: limits) } == .limitExceeded)
        limits = .standard
        limits.maximumFrameCount = 2
        #expect(errorCode { _ = try PNGOptimization.smaller(file.bytes, limits: limits) } == .limitExceeded)
    }
}
