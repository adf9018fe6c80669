import ImageEffects
import Raster
import Testing

@Suite("Trim")
struct TrimTests {
    @Test("Borders of one colour are cut off, and only borders", arguments: [8, 16])
    func borders(bits: Int) throws {
        let context = try EffectContext(options: EffectOptions(bitsPerChannel: bits))
        let table: [(TextPicture, TextPicture)] = [
            ("WWWW\nWRGW\nWWBW\nWWWW", "RG\nWB"), ("....\n.r..\n....", "r"), ("WWW\nWWW", "WWW\nWWW"),
            ("RGB\nKW1", "RGB\nKW1"), ("WWWW\nWWWR", "R"), ("R", "R"),
            // The bottom corners agree with the top right one.
            ("RWW\nWBW\nWWW", "RW\nWB"),
            // Inside the content the border's colour stays.
            ("KKKKK\nKRKRK\nKKKKK", "RKR"),
        ]
        for (picture, wanted) in table {
            let result = try Effects.Trim().apply(to: picture.bitmap(bits: bits), in: context)
            #expect(TextPicture(result) == wanted)
            #expect(result.keepsItsWord)
        }
    }

    @Test("Colours within the tolerance belong to the border")
    func tolerance() throws {
        // Greys of 25, 50, 75 and 100.
        let picture = try TextPicture("1111\n1231\n1141\n1111").bitmap()
        let context = try EffectContext()
        for (tolerance, wanted) in [(0.0, "23\n14"), (0.1, "3\n4"), (0.2, "4"), (0.3, "1111\n1231\n1141\n1111")] {
            let result = try Effects.Trim(tolerance: tolerance).apply(to: picture, in: context)
            #expect(TextPicture(result) == TextPicture(wanted), "\(tolerance)")
        }
    }

    @Test("A tolerance is 0 to 1", arguments: [-0.1, 1.1, .nan])
    func range(_ tolerance: Double) throws {
        let context = try EffectContext()
        let picture = try TextPicture("RG").bitmap()
        #expect(throws: ImageError.self) { try Effects.Trim(tolerance: tolerance).apply(to: picture, in: context) }
        #expect(throws: ImageError.self) {
            try Effects.Trim(tolerance: tolerance).resultSize(of: picture.size, in: context)
        }
    }
}
