import ImageEffects
import Raster
import Testing

@Suite("Border")
struct BorderTests {
    static let context = try! EffectContext()

    @Test(
        "Pixels are covered by their areas",
        arguments: [(1.0, 0.0), (2, 0), (1, 4), (3, 4), (4, 3), (2, 100), (50, 5), (0, 3)])
    func reference(line: Double, radius: Double) throws {
        var noise = Noise(3)
        for (width, height) in [(1, 1), (2, 3), (5, 8), (21, 16)] {
            for (bits, alpha) in [(8, AlphaMode.none), (8, .premultiplied), (16, .premultiplied)] {
                for color in [RGBA8(10, 200, 90), RGBA8(250, 0, 90, 77)] {
                    let picture = try noise.picture(width, height, bits: bits, alpha: alpha)
                    let unit =
                        SIMD4(Double(color.red), Double(color.green), Double(color.blue), Double(color.alpha)) / 255
                    let wanted = ReferencePicture(picture).bordered(unit, line: line, radius: radius)
                    let border = Effects.Border(color: color, width: line, radius: radius)
                    let result = try border.apply(to: picture, in: Self.context)
                    #expect(
                        wanted.largestDifference(result) <= (bits == 8 ? 1 : 200),
                        "\(width)x\(height) of \(bits) bits, \(color)")
                    #expect(result.keepsItsWord)
                    #expect(try border.resultSize(of: picture.size, in: Self.context) == picture.size)
                }
            }
        }
    }

    @Test("The border runs along the edge")
    func line() throws {
        let picture = try TextPicture("RRRRR\nR...R\nRRGRR\nRRRRR").bitmap()
        let result = try Effects.Border(color: RGBA8(0, 0, 255)).apply(to: picture, in: Self.context)
        #expect(TextPicture(result) == "BBBBB\nB...B\nBRGRB\nBBBBB")
        #expect(try Effects.Border(width: 0).apply(to: picture, in: Self.context).tightBytes() == picture.tightBytes())
        let opaque = try Effects.Border(color: RGBA8(9, 9, 9, 100)).apply(
            to: try TextPicture("RG\nBK").bitmap(), in: Self.context)
        #expect(opaque.alpha == AlphaMode.none)
    }

    @Test("A border around rounded corners is the same")
    func rounded() throws {
        var noise = Noise(5)
        let picture = try noise.picture(40, 30, alpha: .none)
        for radius in [3, 8, 12.5] {
            let border = Effects.Border(color: RGBA8(1, 2, 3), width: 2, radius: radius)
            let rounded = try Effects.CornerRadius(radius).apply(to: picture, in: Self.context)
            let before = try border.apply(to: rounded, in: Self.context)
            #expect(try border.apply(to: picture, in: Self.context).largestDifference(before) <= 1)
        }
    }

    @Test("Invalid values are errors", arguments: [(-1.0, 0.0), (.nan, 0), (1, -1), (1, .infinity)])
    func mistakes(width: Double, radius: Double) throws {
        let border = Effects.Border(width: width, radius: radius)
        let picture = try TextPicture("RG").bitmap()
        #expect(throws: ImageError.self) { try border.apply(to: picture, in: Self.context) }
        #expect(throws: ImageError.self) { try border.resultSize(of: picture.size, in: Self.context) }
    }
}
