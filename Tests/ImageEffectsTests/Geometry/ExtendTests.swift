import ImageEffects
import Raster
import Testing

@Suite("Extend")
struct ExtendTests {
    @Test("The image lies where gravity puts it, on transparency or a colour", arguments: [8, 16])
    func canvas(bits: Int) throws {
        let context = try EffectContext(options: EffectOptions(bitsPerChannel: bits))
        let picture = try TextPicture("RG").bitmap(bits: bits)
        let white = RGBA8(255, 255, 255)
        let table: [(Effects.Extend, TextPicture)] = [
            (.extend(width: 4, height: 3), "....\n.RG.\n...."),
            (.extend(width: 4, height: 3, color: white), "WWWW\nWRGW\nWWWW"),
            (.extend(width: 4, height: 2, color: white, gravity: .southeast), "WWWW\nWWRG"),
            (.extend(width: 4, height: 2, gravity: .northwest), "RG..\n...."),
            // Nothing is cut off.
            (.extend(width: 1, height: 3, color: white, gravity: .south), "WW\nWW\nRG"),
            (.extend(width: 1, height: 1), "RG"),
            // An odd pixel goes to the right and the bottom.
            (.extend(width: 3, height: 2, color: white), "RGW\nWWW"),
        ]
        for (effect, wanted) in table {
            let result = try effect.apply(to: picture, in: context)
            #expect(TextPicture(result) == wanted, "\(effect)")
            #expect(try effect.resultSize(of: picture.size, in: context) == result.size)
            #expect(result.keepsItsWord)
        }
    }

    @Test("A canvas of a colour is opaque, and lies below transparent pixels too")
    func background() throws {
        let result = try Effects.Extend(width: 3, height: 1, color: RGBA8(255, 0, 0))
            .apply(to: TextPicture(".G").bitmap(), in: EffectContext())
        #expect(TextPicture(result) == "RGR")
        #expect(result.alpha == AlphaMode.none)
    }

    @Test("Sizes without pixels, and beyond the limit, are refused", arguments: [0, -1, 1e6] as [Double])
    func refusal(_ side: Double) throws {
        let context = try EffectContext()
        #expect(throws: ImageError.self) {
            try Effects.Extend(width: side, height: 1e6).resultSize(of: PixelSize(width: 2, height: 2), in: context)
        }
    }
}
