import ImageEffects
import Raster
import Testing

@Suite("Opacity and flattening")
struct OpacityTests {
    @Test("An opacity of 1 returns the same image, and one of 0 a transparent one")
    func ends() throws {
        let picture = try TextPicture("RG\nb.").bitmap()
        #expect(TextPicture(try Effects.Opacity(1).apply(to: picture, in: EffectContext())) == "RG\nb.")
        #expect(TextPicture(try Effects.Opacity(0).apply(to: picture, in: EffectContext())) == "..\n..")
        let half = try Effects.Opacity(128.0 / 255).apply(to: picture, in: EffectContext())
        #expect(half.channels(0, 0) == [128, 0, 0, 128])
        #expect(half.alpha == .premultiplied)
    }

    @Test("An opacity outside 0 to 1 is an error", arguments: [-0.001, 1.001, .nan, .infinity])
    func invalid(alpha: Double) throws {
        let (effect, context) = (Effects.Opacity(alpha), try EffectContext())
        #expect(throws: ImageError.self) { try effect.resultSize(of: PixelSize(width: 1, height: 1), in: context) }
        #expect(throws: ImageError.self) { try effect.apply(to: TextPicture("R").bitmap(), in: context) }
    }

    @Test("Flattening fills transparent pixels")
    func flatten() throws {
        let picture = try TextPicture("R.\nGB").bitmap()
        let context = try EffectContext()
        let white = try Effects.Flatten().apply(to: picture, in: context)
        #expect(TextPicture(white) == "RW\nGB")
        #expect(white.alpha == AlphaMode.none)
        let clear = try Effects.Flatten(color: RGBA8(0, 255, 255, 128)).apply(to: picture, in: context)
        #expect(TextPicture(clear) == "Rc\nGB")
        #expect(clear.alpha == .premultiplied)
    }

    @Test("A tint stays within the image's shape")
    func tint() throws {
        let picture = try TextPicture("RW.\n5gK").bitmap()
        let context = try EffectContext()
        let silhouette = try Effects.Tint(color: RGBA8(0, 0, 255)).apply(to: picture, in: context)
        #expect(TextPicture(silhouette) == "BB.\nBbB")
        let multiplied = try Effects.Tint(color: RGBA8(0, 0, 255), blendMode: .multiply).apply(to: picture, in: context)
        #expect(multiplied.channels(0, 1) == [0, 0, 125, 255])
        #expect(multiplied.channels(1, 0) == [0, 0, 255, 255])
        let nothing = try Effects.Tint(color: RGBA8(9, 9, 9, 0), blendMode: .overlay).apply(to: picture, in: context)
        #expect(TextPicture(nothing) == TextPicture(picture))
    }
}
