import ImageEffects
import Raster
import Testing

@Suite("Masks")
struct MaskTests {
    private func mask(_ drawing: TextPicture) throws -> EffectPicture {
        EffectPicture(Image(try drawing.bitmap()), reference: "\(drawing)")
    }

    @Test("White keeps pixels, and black removes them", arguments: [8, 16])
    func mask(bits: Int) throws {
        let context = try EffectContext(options: EffectOptions(bitsPerChannel: bits))
        let picture = try TextPicture("RGB\nWr.").bitmap(bits: bits)
        let kept = try Effects.Mask(mask("WKW\nKWW")).apply(to: picture, in: context)
        #expect(TextPicture(kept) == "R.B\n.r.")
        let inverted = try Effects.Mask(mask("WKW\nKWW"), isInverted: true).apply(to: picture, in: context)
        #expect(TextPicture(inverted) == ".G.\nW..")
    }

    @Test("A mask is stretched over the image, upright")
    func stretched() throws {
        let picture = try TextPicture("RR\nRR").bitmap()
        let context = try EffectContext()
        // Twice as large as the picture; any scaling that sees whole pixels does the same with it.
        let large: TextPicture = "WWKK\nWWKK\nKKKK\nKKKK"
        let result = try Effects.Mask(mask(large)).apply(
            to: picture, in: EffectContext(options: EffectOptions(filter: .area)))
        #expect(TextPicture(result) == "R.\n..")
        // A mask that is stored on its side.
        let stored = Image(try TextPicture("KW\nKK").bitmap(), orientation: .left)
        let turned = Effects.Mask(EffectPicture(stored, reference: "turned"))
        #expect(TextPicture(try turned.apply(to: picture, in: context)) == "R.\n..")
    }

    @Test("A coloured mask counts by its luma, and a transparent one as over black")
    func colors() throws {
        let picture = try TextPicture("WWWWWW").bitmap()
        let result = try Effects.Mask(mask("RGBw.W")).apply(to: picture, in: EffectContext())
        #expect((0..<6).map { result.channels($0, 0)[3] } == [76, 150, 29, 128, 0, 255])
    }

    @Test("A mask made from alpha keeps exactly the opaque pixels", arguments: [8, 16])
    func roundTrip(bits: Int) throws {
        var noise = Noise(7)
        let context = try EffectContext(options: EffectOptions(bitsPerChannel: bits))
        for (width, height) in awkwardSizes {
            let shape = try noise.picture(width, height, bits: bits)
            let picture = try noise.picture(width, height, bits: bits, alpha: .none)
            let grey = try Effects.MaskFromAlpha().apply(to: shape, in: context)
            #expect(grey.alpha == AlphaMode.none)
            #expect(grey.keepsItsWord)
            let result = try Effects.Mask(EffectPicture(Image(grey), reference: "grey")).apply(to: picture, in: context)
            for y in 0..<height {
                for x in 0..<width { #expect(result.channels(x, y)[3] == shape.channels(x, y)[3]) }
            }
        }
        // A picture's own mask, where alpha is all or nothing, changes nothing.
        let cut = try TextPicture("R.G\n.B.").bitmap(bits: bits)
        let own = EffectPicture(Image(try Effects.MaskFromAlpha().apply(to: cut, in: context)), reference: "own")
        #expect(try Effects.Mask(own).apply(to: cut, in: context).tightBytes() == cut.tightBytes())
    }

    @Test("An opaque image's mask is white")
    func opaque() throws {
        let result = try Effects.MaskFromAlpha().apply(to: TextPicture("RK\n5B").bitmap(), in: EffectContext())
        #expect(TextPicture(result) == "WW\nWW")
    }

    @Test("An undecodable mask throws its decoder's error")
    func broken() throws {
        struct Broken: BitmapProvider {
            let info = BitmapInfo(size: PixelSize(width: 2, height: 2), format: .gray8)
            func makeBitmap(_ plan: DecodingPlan) throws(ImageError) -> Bitmap {
                throw ImageError(.corrupt, "this is no picture")
            }
        }
        let effect = Effects.Mask(EffectPicture(Image(deferred: Broken()), reference: "broken"))
        let error = #expect(throws: ImageError.self) {
            try effect.apply(to: TextPicture("RR\nRR").bitmap(), in: EffectContext())
        }
        #expect(error?.code == .corrupt)
    }
}
