import ImageEffects
import Raster
import Testing

@Suite("Flip")
struct FlipTests {
    @Test("Flipping exchanges the sides", arguments: [8, 16])
    func flip(bits: Int) throws {
        let context = try EffectContext()
        let picture = try TextPicture("RGb\nKW.").bitmap(bits: bits)
        #expect(TextPicture(try Effects.Flip(.horizontal).apply(to: picture, in: context)) == "bGR\n.WK")
        #expect(TextPicture(try Effects.Flip(.vertical).apply(to: picture, in: context)) == "KW.\nRGb")
    }

    @Test("Flipping twice changes nothing, and flipping both ways rotates by 180°")
    func compositions() throws {
        let context = try EffectContext()
        var noise = Noise(8)
        for (width, height) in [(1, 1), (5, 1), (1, 4), (33, 21)] {
            let picture = try noise.picture(width, height)
            for direction in Effects.Flip.Direction.allCases {
                let twice: EffectChain = [.flip(direction), .flip(direction)]
                #expect(try twice.apply(to: picture, in: context).tightBytes() == picture.tightBytes())
            }
            let both: EffectChain = [.flip(.horizontal), .flip(.vertical)]
            #expect(
                try both.apply(to: picture, in: context).tightBytes()
                    == Effects.Rotate(degrees: 180).apply(to: picture, in: context).tightBytes())
        }
    }
}
