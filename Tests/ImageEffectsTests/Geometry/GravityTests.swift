import ImageEffects
import Raster
import Testing

/// Places that count from a corner, a side or the middle.
@Suite("Gravity")
struct GravityTests {
    @Test(
        "A crop's place counts from where gravity says",
        arguments: [
            (.northwest, 0, 0, "RG"), (.north, 0, 0, "GB"), (.northeast, 0, 0, "BC"), (.northeast, 1, 1, "23"),
            (.west, 0, 0, "12"), (.center, 0, 0, "23"), (.center, 1, 1, "KW"), (.east, 0, 0, "34"),
            (.southwest, 0, 0, "MY"), (.south, 0, 0, "YK"), (.southeast, 0, 0, "KW"), (.southeast, 2, 1, "12"),
        ] as [(Gravity, Double, Double, String)])
    func crop(_ gravity: Gravity, x: Double, y: Double, wanted: String) throws {
        let picture = try TextPicture("RGBC\n1234\nMYKW").bitmap()
        let crop = Effects.Crop(x: x, y: y, width: 2, height: 1, gravity: gravity)
        #expect(TextPicture(try crop.apply(to: picture, in: EffectContext())) == TextPicture(wanted))
    }

    @Test(
        "An overlay's place counts from where gravity says",
        arguments: [
            (.northwest, 1, 0, "RGRR\nRRRR\nRRRR"), (.north, 0, 0, "RGRR\nRRRR\nRRRR"),
            (.northeast, 1, 1, "RRRR\nRRGR\nRRRR"),
            (.west, 0, 0, "RRRR\nGRRR\nRRRR"), (.center, 0, 0, "RRRR\nRGRR\nRRRR"), (.center, 1, 1, "RRRR\nRRRR\nRRGR"),
            (.southwest, 0, 0, "RRRR\nRRRR\nGRRR"), (.southeast, 0, 0, "RRRR\nRRRR\nRRRG"),
            // Beyond the edge.
            (.southeast, -1, 0, "RRRR\nRRRR\nRRRR"),
        ] as [(Gravity, Double, Double, String)])
    func overlay(_ gravity: Gravity, x: Double, y: Double, wanted: String) throws {
        let upper = EffectPicture(Image(try TextPicture("G").bitmap()), reference: "G")
        let result = try Effects.Overlay(upper, x: x, y: y, gravity: gravity)
            .apply(to: TextPicture("RRRR\nRRRR\nRRRR").bitmap(), in: EffectContext())
        #expect(TextPicture(result) == TextPicture(wanted))
    }

    @Test("Effects with another gravity are other effects, written otherwise")
    func identity() throws {
        let (a, b) = (
            Effects.Crop(x: 0, y: 0, width: 1, height: 1),
            Effects.Crop(x: 0, y: 0, width: 1, height: 1, gravity: .south)
        )
        #expect(a.identity != b.identity)
        let crop = try #require(EffectTable["crop"])
        let written = try crop.read("0,0,1,1,south")
        #expect(written.text == "0,0,1,1,transparent,south")
        #expect(try crop.read(written.text).values["gravity"] == .word("south"))
        #expect(try EffectChainCodingTests.decode(EffectChainCodingTests.encode([b])) == EffectChain([b]))
    }
}
