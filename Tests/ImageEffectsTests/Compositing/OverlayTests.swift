import ImageEffects
import Raster
import Testing

@Suite("Overlays")
struct OverlayTests {
    private let canvas: TextPicture = """
        RRRR
        RRRR
        RRRR
        """

    private func picture(_ drawing: TextPicture, scale: Double = 1, _ orientation: Orientation = .up) throws
        -> EffectPicture
    {
        EffectPicture(Image(try drawing.bitmap(), scale: scale, orientation: orientation), reference: "\(drawing)")
    }

    @Test(
        "The overlay lies at its position, and is clipped to the image",
        arguments: [
            (1, 1, "RRRR\nRGBR\nRWRR"), (-1, 0, "BRRR\nRRRR\nRRRR"), (3, 2, "RRRR\nRRRR\nRRRG"),
            (0, -1, "WRRR\nRRRR\nRRRR"),
            (4, 0, "RRRR\nRRRR\nRRRR"), (-9, -9, "RRRR\nRRRR\nRRRR"), (0.5, 1.49, "RRRR\nRGBR\nRWRR"),
        ] as [(Double, Double, String)])
    func place(x: Double, y: Double, expected: String) throws {
        let effect = Effects.Overlay(try picture("GB\nW."), x: x, y: y)
        let result = try effect.apply(to: canvas.bitmap(), in: EffectContext())
        #expect(TextPicture(result) == TextPicture(expected))
        #expect(result.alpha == AlphaMode.none)
    }

    @Test("On a transparent canvas the overlay is unchanged")
    func transparentCanvas() throws {
        let result = try Effects.Overlay(picture("Gr\nW."), x: 1)
            .apply(to: TextPicture("....\n....").bitmap(), in: EffectContext())
        #expect(TextPicture(result) == ".Gr.\n.W..")
    }

    @Test("Sizes are in points, and a missing side keeps the proportions")
    func size() throws {
        // Four by two pixels.
        let other = try picture("GGGG\nGGGG", scale: 2)
        func covered(
            _ width: Double?, _ height: Double?, units: EffectOptions.Units = .points, scale: Double = 1
        ) throws -> [Int] {
            let context = try EffectContext(options: EffectOptions(units: units), scale: scale)
            let canvas = try Bitmap(BitmapInfo(size: PixelSize(width: 20, height: 20), format: .rgba8)) { _, _ in
                [255, 0, 0, 255]
            }
            let result = try Effects.Overlay(other, width: width, height: height).apply(to: canvas, in: context)
            let isGreen = (0..<20).map { y in (0..<20).map { result.channels($0, y) == [0, 255, 0, 255] } }
            return [isGreen[0].count { $0 }, isGreen.count { $0[0] }, isGreen.joined().count { $0 }]
        }
        #expect(try covered(nil, nil) == [2, 1, 2])
        #expect(try covered(nil, nil, scale: 2) == [4, 2, 8])
        #expect(try covered(nil, nil, units: .pixels, scale: 3) == [4, 2, 8])
        #expect(try covered(6, nil) == [6, 3, 18])
        #expect(try covered(nil, 6, scale: 1.5) == [18, 9, 162])
        #expect(try covered(5, 5) == [5, 5, 25])
        #expect(try covered(100, 40) == [20, 20, 400])
    }

    @Test("An overlay with an orientation is drawn upright")
    func orientation() throws {
        let result = try Effects.Overlay(picture("GB", .right)).apply(to: canvas.bitmap(), in: EffectContext())
        #expect(TextPicture(result) == "GRRR\nBRRR\nRRRR")
    }

    @Test("Blending leaves pixels outside the overlay unchanged")
    func blended() throws {
        let result = try Effects.Overlay(picture("YC\nM."), x: 1, blendMode: .multiply)
            .apply(to: canvas.bitmap(), in: EffectContext())
        #expect(TextPicture(result) == "RRKR\nRRRR\nRRRR")
    }

    @Test("Invalid numbers are errors")
    func invalid() throws {
        let (size, context, other) = (PixelSize(width: 4, height: 4), try EffectContext(), try picture("GB"))
        for number in [Double.nan, .infinity, 1e9] {
            #expect(throws: ImageError.self) { try Effects.Overlay(other, x: number).resultSize(of: size, in: context) }
            #expect(throws: ImageError.self) { try Effects.Overlay(other, y: number).resultSize(of: size, in: context) }
        }
        for number in [0, -1, Double.nan, .infinity, 1e7] {
            for effect in [
                Effects.Overlay(other, width: number), Effects.Overlay(other, height: number),
                Effects.Overlay(other, width: number, height: 1e6),
            ] {
                #expect(throws: ImageError.self) { try effect.resultSize(of: size, in: context) }
                #expect(throws: ImageError.self) { try effect.apply(to: canvas.bitmap(), in: context) }
            }
        }
        for opacity in [-0.1, 1.1, Double.nan] {
            #expect(throws: ImageError.self) {
                try Effects.Overlay(other, opacity: opacity).resultSize(of: size, in: context)
            }
        }
    }
}
