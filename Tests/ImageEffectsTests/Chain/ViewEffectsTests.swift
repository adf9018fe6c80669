import Foundation
import ImageEffects
import Raster
import Testing

/// A view's effects: their order, what is left out, and where everything goes.
@Suite("A view's effects")
struct ViewEffectsTests {
    /// The effects of the worked examples, in bounds of `width` × `height`.
    private static func effects(width: Double, height: Double) -> ViewEffects {
        ViewEffects(
            width: width, height: height, contentMode: .aspectFit, cornerRadius: 10,
            shadow: Effects.Shadow(y: 2, blur: 5), reflection: Effects.Reflection(scale: 0.5, gap: 10, alpha: 0.25))
    }

    private static func red(_ width: Int, _ height: Int) throws -> Image {
        let info = BitmapInfo(size: PixelSize(width: width, height: height), format: .rgba8, alpha: .none)
        return Image(try Bitmap(info) { _, _ in [255, 0, 0, 255] })
    }

    /// The worked examples of a picture of 512 × 384: bounds, the picture within its shadow's canvas, the canvas of all,
    /// and the rows where the shadowed picture and its reflection begin.
    private static let examples: [(bounds: (Double, Double), fitted: PixelSize, canvas: PixelSize, rows: (Int, Int))] =
        [
            ((224, 186), PixelSize(width: 224, height: 168), PixelSize(width: 234, height: 356), (87, 265)),
            ((200, 200), PixelSize(width: 200, height: 150), PixelSize(width: 210, height: 320), (78, 238)),
        ]

    @Test("The image, shadow and reflection lie where the examples say", arguments: examples.indices)
    func putsEverythingWhereTheExamplesSay(_ index: Int) throws {
        let (bounds, fitted, canvas, rows) = Self.examples[index]
        let chain = Self.effects(width: bounds.0, height: bounds.1).chain
        let size = PixelSize(width: 512, height: 384)
        #expect(try chain.resultSize(of: size, in: EffectContext()) == canvas)
        let result = try Self.red(512, 384).applying(chain).bitmap()
        #expect(result.size == canvas)

        // The picture lies 5 and 7 pixels within the shadow's canvas: pure red there, no red beside it.
        let (left, top) = (5, rows.0 + 7)
        let (middle, center) = (canvas.width / 2, top + fitted.height / 2)
        let red = [255, 0, 0, 255]
        for (x, y) in [
            (left, center), (left + fitted.width - 1, center), (middle, top), (middle, top + fitted.height - 1),
        ] {
            #expect(result.channels(x, y) == red, "\(x), \(y)")
        }
        for (x, y) in [
            (left - 1, center), (left + fitted.width, center), (middle, top - 1), (middle, top + fitted.height),
        ] {
            #expect(result.channels(x, y)[0] == 0, "\(x), \(y)")
        }
        // Round corners: the shadow shows where the picture's corner was.
        #expect(result.channels(left, top)[0] == 0)

        // The reflection's canvas begins with the shadow below the picture, upside down; then comes the picture's last row.
        let first = rows.1 + 7
        #expect(first == top + fitted.height + 10)
        #expect(result.channels(middle, first - 1)[0] == 0)
        let height = (fitted.height + 14) / 2
        let alpha = (255 * 0.25 * (1 - 7.5 / Double(height))).rounded()
        let pixel = result.channels(middle, first)
        #expect(abs(pixel[0] - Int(alpha)) <= 1 && pixel[0] == pixel[3], "\(pixel)")
    }

    @Test("Default settings only crop and scale")
    func doesNothingButCropAndScaleUnlessToldTo() {
        let effects = ViewEffects(width: 20, height: 10)
        #expect(effects.chain == [.cropAndScale(width: 20, height: 10, contentMode: .scaleToFill)])
    }

    @Test(
        "An invisible shadow takes no room",
        arguments: [
            Effects.Shadow(color: RGBA8(0, 0, 0, 0), x: 3, blur: 3), Effects.Shadow(color: RGBA8(9, 9, 9)),
        ])
    func leavesOutAShadowThatCantBeSeen(_ shadow: Effects.Shadow) {
        var effects = Self.effects(width: 20, height: 10)
        effects.shadow = shadow
        #expect(
            effects.chain == [
                .cropAndScale(width: 20, height: 10, contentMode: .aspectFit), .cornerRadius(10),
                .reflection(scale: 0.5, gap: 10, alpha: 0.25),
            ])
    }

    @Test("A reflection without scale or alpha takes no room", arguments: [(0.0, 0.5), (0.5, 0.0)])
    func leavesOutAReflectionWithoutScaleOrAlpha(_ scale: Double, _ alpha: Double) {
        var effects = ViewEffects(width: 20, height: 10)
        effects.reflection = Effects.Reflection(scale: scale, gap: 3, alpha: alpha)
        #expect(effects.chain.effects.count == 1)
    }

    @Test(
        "A reflection's gap is measured from the image's edge",
        arguments: [(Effects.Shadow.Border.compatible, -12.0), (.threeSigma, -16)])
    func countsAReflectionsGapFromThePicture(_ border: Effects.Shadow.Border, _ gap: Double) {
        let shadow = Effects.Shadow(x: 9, y: -3, blur: 4, border: border)
        #expect(
            Effects.Reflection(scale: 0.5, gap: 2, alpha: 0.3).below(shadow)
                == Effects.Reflection(scale: 0.5, gap: gap, alpha: 0.3))
    }

    @Test("The custom effect is applied to the scaled image, before all others")
    func appliesTheCustomEffectToTheScaledPictureBeforeAllOthers() throws {
        var effects = ViewEffects(width: 20, height: 10, cornerRadius: 3)
        effects.custom = .custom("grow") { (image) throws(ImageError) in
            try image.applying(.scale(width: Double(image.size.width) + 1, height: Double(image.size.height) + 2))
        }
        let result = try Self.red(40, 40).applying(effects.chain)
        #expect(result.size == PixelSize(width: 21, height: 12))
        #expect(try result.bitmap().channels(0, 0)[3] < 255)
    }

    @Test("Coding leaves out settings that have their default")
    func isCodedWithDefaultsForWhatIsLeftOut() throws {
        let effects = Self.effects(width: 224, height: 186)
        #expect(try JSONDecoder().decode(ViewEffects.self, from: JSONEncoder().encode(effects)) == effects)
        let little = Data(#"{"width": 20, "height": 10}"#.utf8)
        #expect(try JSONDecoder().decode(ViewEffects.self, from: little) == ViewEffects(width: 20, height: 10))
    }

    @Test("A custom effect can't be encoded")
    func isNotCodedWithACustomEffect() {
        var effects = ViewEffects(width: 20, height: 10)
        effects.custom = .custom("none") { (image) throws(ImageError) in image }
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(effects) }
    }

    @Test("Settings are equal when their values are")
    func isEqualByItsValues() {
        let effects = Self.effects(width: 20, height: 10)
        var other = effects
        #expect(effects == other && effects.hashValue == other.hashValue)
        other.shadow.blur += 1
        #expect(effects != other)
    }
}
