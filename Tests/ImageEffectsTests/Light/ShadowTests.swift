import ImageEffects
import Raster
import Testing

@Suite("Shadow")
struct ShadowTests {
    static let context = try! EffectContext()

    @Test(
        "Results agree with the sum over all pixels",
        arguments: [
            (0.0, 0, 0), (0, 3, -2), (0.6, 0, 0), (2, 1, 1), (5, -4, 2), (8, 0, 3), (12, 20, 0), (20, 0, 4), (41, 3, 3),
            (90, 0, 0),
        ] as [(Double, Int, Int)])
    func reference(blur: Double, x: Int, y: Int) throws {
        var noise = Noise(UInt64(blur * 10) + 1)
        let color = RGBA8(200, 30, 90, 180)
        let unit = SIMD4(200, 30, 90, 180) / 255.0
        for (width, height) in [(1, 1), (5, 1), (21, 16)] where blur < 20 || width < 20 {
            for (bits, alpha) in [(8, AlphaMode.none), (8, .premultiplied), (16, .none), (16, .premultiplied)] {
                let picture = try noise.picture(width, height, bits: bits, alpha: alpha)
                for border in Effects.Shadow.Border.allCases {
                    let spread = Int((border == .compatible ? blur : 1.5 * blur).rounded(.up))
                    let wanted = ReferencePicture(picture).shadowed(
                        unit, x: x, y: y, sigma: blur / 2, across: abs(x) + spread, down: abs(y) + spread)
                    let shadow = Effects.Shadow(color: color, x: Double(x), y: Double(y), blur: blur, border: border)
                    try Vectors.onEachPath {
                        let result = try shadow.apply(to: picture, in: Self.context)
                        #expect(result.size == PixelSize(width: wanted.width, height: wanted.height))
                        #expect(try shadow.resultSize(of: picture.size, in: Self.context) == result.size)
                        #expect(
                            wanted.largestDifference(result) <= (bits == 8 ? 1 : 257),
                            "\(width)x\(height) of \(bits) bits, \(alpha), \(border)")
                        #expect(result.keepsItsWord)
                    }
                }
            }
        }
    }

    @Test("Without a blur the shadow is the moved shape")
    func hard() throws {
        let picture = try TextPicture("RG\n.B").bitmap()
        let result = try Effects.Shadow(x: 1, y: 2).apply(to: picture, in: Self.context)
        #expect(
            TextPicture(result) == """
                ....
                ....
                .RG.
                ..B.
                ..KK
                ...K
                """)
    }

    @Test("Without a blur 16 bits are exact")
    func hardDeep() throws {
        var noise = Noise(4)
        let picture = try noise.picture(7, 5, bits: 16)
        let wanted = ReferencePicture(picture).shadowed(SIMD4(0, 0, 0, 1), x: 2, y: -3, sigma: 0, across: 2, down: 3)
        let result = try Effects.Shadow(x: 2, y: -3).apply(to: picture, in: Self.context)
        #expect(wanted.largestDifference(result) <= 1)
    }

    @Test("The margin is rounded to whole pixels")
    func snapping() throws {
        let size = PixelSize(width: 10, height: 10)
        for (x, blur, wanted) in [(0.0, 2.4, 14), (0, 2.5, 16), (1.3, 1.3, 16), (-1.3, 1.3, 16), (-0.5, 0, 12)] {
            let shadow = Effects.Shadow(x: x, blur: blur)
            #expect(try shadow.resultSize(of: size, in: Self.context).width == wanted, "\(x), \(blur)")
            let result = try shadow.apply(
                to: try Bitmap(BitmapInfo(size: size, format: .rgba8)) { _, _ in
                    [255, 255, 255, 255]
                }, in: Self.context)
            #expect(result.width == wanted)
        }
    }

    @Test("The image stays in the middle, as in the original's example")
    func worked() throws {
        let shadow = Effects.Shadow(x: 0, y: 2, blur: 5)
        let size = PixelSize(width: 224, height: 168)
        #expect(try shadow.resultSize(of: size, in: Self.context) == PixelSize(width: 234, height: 182))
        let info = BitmapInfo(size: size, format: .rgba8)
        let result = try shadow.apply(to: try Bitmap(info) { _, _ in [255, 255, 255, 255] }, in: Self.context)
        #expect(result.size == PixelSize(width: 234, height: 182))
        for (x, y, isPicture) in [(4, 90, false), (5, 7, true), (5, 6, false), (228, 174, true), (229, 174, false)] {
            #expect((result.channels(x, y) == [255, 255, 255, 255]) == isPicture, "\(x), \(y)")
        }
    }

    @Test("With a margin of three standard deviations no edge is visible")
    func wideBorder() throws {
        let info = BitmapInfo(size: PixelSize(width: 80, height: 80), format: .rgba8)
        let picture = try Bitmap(info) { _, _ in [255, 255, 255, 255] }
        for blur in [4.0, 20, 33] {
            let cut = try Effects.Shadow(blur: blur).apply(to: picture, in: Self.context)
            let whole = try Effects.Shadow(blur: blur, border: .threeSigma).apply(to: picture, in: Self.context)
            #expect(cut.channels(cut.width / 2, 0)[3] > 3)
            for place in 0..<whole.width { #expect(whole.channels(place, 0)[3] <= 1) }
        }
    }

    @Test("A transparent image or colour casts no shadow")
    func nothing() throws {
        let empty = try TextPicture("...\n...").bitmap()
        let result = try Effects.Shadow(blur: 4).apply(to: empty, in: Self.context)
        #expect(result.tightBytes().allSatisfy { $0 == 0 })
        let picture = try TextPicture("Rr\n.G").bitmap()
        let invisible = try Effects.Shadow(color: RGBA8(9, 9, 9, 0), blur: 1).apply(to: picture, in: Self.context)
        #expect(TextPicture(invisible) == "....\n.Rr.\n..G.\n....")
    }

    @Test("Lengths are in points")
    func scale() throws {
        var noise = Noise(2)
        let picture = try noise.picture(20, 20)
        let points = try Effects.Shadow(x: 1, y: -2, blur: 3).apply(to: picture, in: try EffectContext(scale: 2))
        let pixels = try Effects.Shadow(x: 2, y: -4, blur: 6).apply(to: picture, in: Self.context)
        #expect(points.largestDifference(pixels) == 0)
    }

    @Test(
        "Invalid values are errors",
        arguments: [(0, 0, -1), (.nan, 0, 0), (0, .infinity, 0), (0, 0, .nan), (1e9, 0, 0)]
            as [(Double, Double, Double)])
    func mistakes(x: Double, y: Double, blur: Double) throws {
        let shadow = Effects.Shadow(x: x, y: y, blur: blur)
        let error = #expect(throws: ImageError.self) {
            try shadow.apply(to: try TextPicture("RG").bitmap(), in: Self.context)
        }
        #expect(error?.code == .invalidParameter)
    }

    @Test("A canvas beyond the limit is refused before it is allocated")
    func limit() throws {
        let shadow = Effects.Shadow(blur: 100_000)
        for attempt in [0, 1] {
            let error = #expect(throws: ImageError.self) {
                if attempt == 0 {
                    _ = try shadow.resultSize(of: PixelSize(width: 2, height: 1), in: Self.context)
                } else {
                    _ = try shadow.apply(to: try TextPicture("RG").bitmap(), in: Self.context)
                }
            }
            #expect(error?.code == .limitExceeded)
        }
    }
}
