import ImageEffects
import Raster
import Testing

@Suite("Reflections")
struct ReflectionTests {
    @Test("A reflection is upside down and fades evenly", arguments: [8, 16])
    func reflected(bits: Int) throws {
        let picture = try TextPicture("RG\nBW\nYC\n.K").bitmap(bits: bits)
        let context = try EffectContext(options: EffectOptions(bitsPerChannel: bits))
        let result = try Effects.Reflected(scale: 1).apply(to: picture, in: context)
        #expect(result.size == PixelSize(width: 2, height: 4))
        #expect(result.alpha == .premultiplied)
        // 7/8, 5/8, 3/8 and 1/8 of the rows from the bottom up.
        let levels = (bits == 16 ? [57343, 40959, 24576, 8192] : [223, 159, 96, 32])
        let expected = [
            [[0, 0, 0, 0], [0, 0, 0, 1]], [[1, 1, 0, 1], [0, 1, 1, 1]], [[0, 0, 1, 1], [1, 1, 1, 1]],
            [[1, 0, 0, 1], [0, 1, 0, 1]],
        ]
        for y in 0..<4 {
            for x in 0..<2 { #expect(result.channels(x, y) == expected[y][x].map { $0 * levels[y] }) }
        }
    }

    @Test(
        "A reflection's height is rounded up to whole points",
        arguments: [
            (10, 1, 0.5, 5), (11, 1, 0.5, 6), (10, 1, 0.01, 1), (100, 1, 0.07, 7), (168, 1, 0.5, 84), (3, 1, 2.5, 8),
            (11, 2, 0.5, 6), (12, 2, 0.5, 6), (13, 2, 0.5, 8), (10, 3, 0.1, 3), (10, 1.5, 0.5, 6),
        ] as [(Int, Double, Double, Int)])
    func height(height: Int, pixelsPerPoint: Double, scale: Double, expected: Int) throws {
        let context = try EffectContext(scale: pixelsPerPoint)
        let size = PixelSize(width: 5, height: height)
        let effect = Effects.Reflected(scale: scale)
        #expect(try effect.resultSize(of: size, in: context) == PixelSize(width: 5, height: expected))
        var noise = Noise(1)
        #expect(try effect.apply(to: noise.picture(5, height), in: context).height == expected)
    }

    @Test("Beyond the image a reflection is transparent")
    func longReflection() throws {
        let result = try Effects.Reflected(scale: 2).apply(to: TextPicture("R\nG").bitmap(), in: EffectContext())
        #expect(
            (0..<4).map { result.channels(0, $0) } == [
                [0, 223, 0, 223], [159, 0, 0, 159], [0, 0, 0, 0], [0, 0, 0, 0],
            ])
    }

    @Test("The image stays in the middle, the reflection is below the gap")
    func reflection() throws {
        let result = try Effects.Reflection(scale: 0.5, gap: 1, alpha: 1)
            .apply(to: TextPicture("R\nG\nB\nW").bitmap(), in: EffectContext())
        #expect(result.size == PixelSize(width: 1, height: 10))
        #expect(
            (0..<10).map { result.channels(0, $0) } == [
                [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255],
                [255, 255, 255, 255], [0, 0, 0, 0], [191, 191, 191, 191], [0, 0, 64, 64],
            ])
    }

    @Test("With a negative gap the reflection lies under the image")
    func underThePicture() throws {
        // Half transparent red over three quarters of its own reflection.
        let result = try Effects.Reflection(scale: 1, gap: -1, alpha: 1)
            .apply(to: TextPicture("G\nr").bitmap(), in: EffectContext())
        #expect(result.size == PixelSize(width: 1, height: 4))
        #expect(
            (0..<4).map { result.channels(0, $0) } == [
                [0, 0, 0, 0], [0, 255, 0, 255], [176, 0, 0, 176], [0, 64, 0, 64],
            ])
    }

    @Test("A gap larger than the canvas cuts the image off")
    func hugeNegativeGap() throws {
        let bitmap = try TextPicture("R\nG\nB\nW").bitmap()
        let cut = try Effects.Reflection(scale: 0.25, gap: -2, alpha: 0.5).apply(to: bitmap, in: EffectContext())
        #expect(TextPicture(cut) == "G\nB")
        #expect(throws: ImageError.self) {
            try Effects.Reflection(scale: 0.25, gap: -3).apply(to: bitmap, in: EffectContext())
        }
    }

    @Test("Invalid parameters are errors", arguments: [0, -1, .nan, .infinity, 1e9, 1e300] as [Double])
    func invalid(scale: Double) throws {
        let (size, context) = (PixelSize(width: 100, height: 1000), try EffectContext())
        #expect(throws: ImageError.self) { try Effects.Reflected(scale: scale).resultSize(of: size, in: context) }
        #expect(throws: ImageError.self) { try Effects.Reflection(scale: scale).resultSize(of: size, in: context) }
    }

    @Test("Invalid gaps and alphas are errors")
    func invalidGapAndAlpha() throws {
        let (size, context) = (PixelSize(width: 100, height: 100), try EffectContext())
        for gap in [Double.nan, .infinity, 1e12] {
            let effect = Effects.Reflection(scale: 0.5, gap: gap)
            #expect(throws: ImageError.self) { try effect.resultSize(of: size, in: context) }
        }
        for alpha in [Double.nan, -0.1, 1.1] {
            let effect = Effects.Reflection(scale: 0.5, alpha: alpha)
            #expect(throws: ImageError.self) { try effect.resultSize(of: size, in: context) }
        }
        let limited = try EffectContext(options: EffectOptions(maximumPixelCount: 20000))
        #expect(try Effects.Reflection(scale: 0.5).resultSize(of: size, in: limited).height == 200)
        let error = #expect(throws: ImageError.self) {
            try Effects.Reflection(scale: 0.5, gap: 1).resultSize(of: size, in: limited)
        }
        #expect(error?.code == .limitExceeded)
    }
}
