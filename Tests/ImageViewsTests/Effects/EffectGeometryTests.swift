import ImageEffects
import ImageLoadingTestSupport
import ImageViews
import Raster
import Testing

@MainActor @Suite("The geometry of effects")
struct EffectGeometryTests {
    private let fixture = EffectFixture()

    /// The worked example: a picture of 512 × 384 with everything on.
    private func view(_ width: Double, _ height: Double, scale: Double = 1) throws -> EffectImageView {
        let view = fixture.view()
        view.size = ViewSize(width: width, height: height)
        view.scale = scale
        view.contentMode = .aspectFit
        view.cornerRadius = 10
        view.shadowOffset = ViewSize(width: 0, height: 2)
        view.shadowBlur = 5
        (view.reflectionScale, view.reflectionAlpha, view.reflectionGap) = (0.5, 0.25, 10)
        view.image = try .plain(200, 512, 384)
        return view
    }

    @Test(
        "The canvas has room for the shadow and the reflection",
        arguments: [
            (224, 186, 1, PixelSize(width: 234, height: 356)), (200, 200, 1, PixelSize(width: 210, height: 320)),
            (224, 186, 2, PixelSize(width: 468, height: 712)),
        ] as [(Double, Double, Double, PixelSize)])
    func canvas(_ width: Double, _ height: Double, _ scale: Double, _ size: PixelSize) throws {
        let view = try view(width, height, scale: scale)
        let image = try #require(view.processedImage)
        #expect(image.size == size)
        #expect(image.scale == scale)
        let (across, down) = (Double(size.width) / scale, Double(size.height) / scale)
        #expect(
            view.processedFrame
                == ViewRect(x: (width - across) / 2, y: (height - down) / 2, width: across, height: down))
    }

    @Test("Image, shadow and reflection have the right frames")
    func everythingLiesWhereItShould() throws {
        let bitmap = try #require(try view(224, 186).processedImage).bitmap()
        func isPicture(_ x: Int, _ y: Int) -> Bool { bitmap.pixel(x, y) == RGBA8(200, 200, 200) }
        // The shadowed picture is at 87, the picture in it at (5, 7), 224 × 168.
        #expect((0..<356).filter { isPicture(117, $0) } == Array(94..<262))
        #expect((0..<234).filter { isPicture($0, 178) } == Array(5..<229))
        // Its corners are round.
        #expect(!isPicture(5, 94))
        // Nothing is above the shadow; the reflection ends with the canvas.
        #expect((0..<87).allSatisfy { bitmap.pixel(117, $0).alpha == 0 })
        #expect(bitmap.pixel(117, 300).alpha > 0)
        // The gap of 10 is seen between picture and reflection: at 272, which is 265 and the shadow's 7.
        #expect((272..<290).allSatisfy { bitmap.pixel(117, $0).red > 30 })
        #expect((269..<272).allSatisfy { bitmap.pixel(117, $0).red < 30 })
    }

    @Test("The geometry agrees with the effects themselves", arguments: ContentMode.allCases)
    func isTheSameAsTheEffectsThemselves(mode: ContentMode) throws {
        let image = Image(try TestPicture.bitmap(60, 40, alpha: .straight))
        let view = fixture.view()
        view.size = ViewSize(width: 31, height: 23)
        view.contentMode = mode
        view.cornerRadius = 3
        view.shadowColor = RGBA8(200, 0, 0, 128)
        (view.shadowOffset, view.shadowBlur) = (ViewSize(width: -2, height: 3), 4)
        (view.reflectionScale, view.reflectionAlpha, view.reflectionGap) = (0.3, 0.8, 2)
        view.image = image
        let effects = ViewEffects(
            width: 31, height: 23, contentMode: mode, cornerRadius: 3,
            shadow: Effects.Shadow(color: RGBA8(200, 0, 0, 128), x: -2, y: 3, blur: 4),
            reflection: Effects.Reflection(scale: 0.3, gap: 2, alpha: 0.8))
        let expected = try image.applying(effects.chain).bitmap()
        #expect(try #require(view.processedImage).bitmap().tightBytes() == expected.tightBytes())
    }

    @Test("Default settings only crop and scale")
    func onlyCropsAndScalesUnlessTold() throws {
        let view = fixture.view()
        view.shadowColor = RGBA8(255, 0, 0)
        view.reflectionScale = 0.5
        view.image = try .plain(90)
        let image = try #require(view.processedImage)
        #expect(image.size == PixelSize(width: 8, height: 8), "a colour or a scale alone shows nothing")
        #expect(!view.asynchronous)
        #expect(view.crossfadeDuration == 0.25)
    }

    @Test("Invalid settings are an error")
    func whatMakesNoSenseIsAnError() throws {
        let view = fixture.view()
        view.image = try .plain(90)
        #expect(view.processedImage != nil)
        view.cornerRadius = -1
        #expect(view.processedImage == nil)
        #expect(view.error?.code == .invalidParameter)
        #expect(view.image != nil)
        view.cornerRadius = 1
        #expect(view.processedImage != nil)
        #expect(view.error == nil)
    }

    @Test("Nothing is processed until the view has a size")
    func waitsUntilItHasASize() throws {
        let view = fixture.view()
        view.size = .zero
        view.image = try .plain(90)
        #expect(view.processedImage == nil)
        #expect(view.error == nil)
        view.size = ViewSize(width: 5, height: 4)
        #expect(view.processedImage?.size == PixelSize(width: 5, height: 4))
    }
}
