import ImageEffects
import Raster
import Testing

@Suite("Masks")
struct MaskTests {
    private func mask(_ drawing: TextPicture) throws -> EffectPicture {
        EffectPicture(Image(try drawing.bitmap()), reference: "\(drawing)")
    }

    @Test("White keeps, black takes away", arguments: [8, 16])
    func mask(bits: Int) throws {
        let context = try EffectContext(options: EffectOptions(bitsPerChannel: bits))
        let picture = try TextPicture("RGB\nWr.").bitmap(bits: bits)
        let kept = try Effects.Mask(mask("WKW\nKWW")).apply(to: picture, in: context)
        #expect(TextPicture(kept) == "R.B\n.r.")
        let inverted = try Effects.Mask(mask("WKW\nKWW"), isInverted: true).apply(to: picture, in: context)
        #expect(TextPicture(inverted) == ".G.\nW..")
    }

    @Test("A mask is stretched over the picture, upright")
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
}
