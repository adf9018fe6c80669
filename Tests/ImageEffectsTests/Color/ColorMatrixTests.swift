import ImageEffects
import Raster
import Testing

@Suite("Colour matrices")
struct ColorMatrixTests {
    private static let identity: [Double] = [1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0]

    private static func matrices() -> [(String, [Double])] {
        typealias Matrix = Effects.ColorMatrix
        var noise = Noise(3)
        let small = (0..<20).map { _ in noise.number(-1...1) }
        let large = (0..<20).map { _ in noise.number(-40...40) }
        let alphaKept = (0..<15).map { $0 % 5 == 3 ? 0 : noise.number(-3...3) } + [0, 0, 0, 1, 0]
        let hugeAlphaKept = (0..<15).map { $0 % 5 == 3 ? 0 : noise.number(-90...90) } + [0, 0, 0, 1, 0]
        return [
            ("identity", identity), ("grayscale", Matrix.grayscale.rows), ("sepia", Matrix.sepia().rows),
            ("half sepia", Matrix.sepia(0.5).rows), ("saturation", Matrix.saturation(1.7).rows),
            ("brightness", Matrix.brightness(1.3).rows), ("darkness", Matrix.brightness(0.2).rows),
            ("contrast", Matrix.contrast(2.5).rows), ("flat", Matrix.contrast(0.3).rows), ("any", small),
            ("any large", large), ("alpha kept", alphaKept), ("alpha kept, large", hugeAlphaKept),
            ("opaque", Array(identity[..<15]) + [0, 0, 0, 0, 1]),
            ("alpha from red", Array(identity[..<15]) + [1, 0, 0, 0, 0]),
        ]
    }

    @Test("Every matrix agrees with the formula", arguments: [8, 16])
    func reference(bits: Int) throws {
        var noise = Noise(4)
        let context = try EffectContext(options: EffectOptions(bitsPerChannel: bits))
        for (name, rows) in Self.matrices() {
            for (width, height) in awkwardSizes {
                for alpha in [AlphaMode.none, .premultiplied] {
                    let picture = try noise.picture(width, height, bits: bits, alpha: alpha)
                    let result = try Effects.ColorMatrix(rows).apply(to: picture, in: context)
                    let difference = ReferencePicture(picture).transformed(by: rows).largestDifference(result)
                    #expect(difference <= 1, "\(name)")
                    #expect(result.keepsItsWord, "\(name)")
                }
            }
        }
    }

    @Test("A neutral matrix returns the same image", arguments: [8, 16])
    func nothing(bits: Int) throws {
        var noise = Noise(5)
        let picture = try noise.picture(50, 20, bits: bits)
        let context = try EffectContext(options: EffectOptions(bitsPerChannel: bits))
        for effect in [
            Effects.ColorMatrix(Self.identity), .saturation(1), .brightness(1), .contrast(1), .sepia(0),
        ] {
            #expect(try effect.apply(to: picture, in: context).tightBytes() == picture.tightBytes())
        }
    }

    @Test("Saturation and hue keep greys and white")
    func grey() throws {
        let picture = try TextPicture("K123456789W.").bitmap()
        for effect in [Effects.ColorMatrix.grayscale, .saturation(3)] {
            #expect(TextPicture(try effect.apply(to: picture, in: EffectContext())) == "K123456789W.")
        }
        let colors = try Effects.ColorMatrix.grayscale.apply(to: TextPicture("RGB").bitmap(), in: EffectContext())
        // Rec. 709: 0.2126, 0.7152 and 0.0722 of 255.
        #expect(
            (0..<3).map { colors.channels($0, 0) } == [
                [54, 54, 54, 255], [182, 182, 182, 255], [18, 18, 18, 255],
            ])
        #expect(colors.alpha == AlphaMode.none)
    }

    @Test("Contrast and brightness change the expected values")
    func contrast() throws {
        let picture = try TextPicture("K19Wg").bitmap()
        let dark = try Effects.ColorMatrix.brightness(0).apply(to: picture, in: EffectContext())
        #expect(TextPicture(dark) == "KKKKk")
        let flat = try Effects.ColorMatrix.contrast(0).apply(to: picture, in: EffectContext())
        #expect((0..<5).map { flat.channels($0, 0)[0] } == [128, 128, 128, 128, 64])
        let harsh = try Effects.ColorMatrix.contrast(9).apply(to: picture, in: EffectContext())
        #expect(TextPicture(harsh) == "KKWWg")
    }

    @Test("An invalid matrix is an error")
    func invalid() throws {
        let (size, context) = (PixelSize(width: 2, height: 2), try EffectContext())
        for rows in [[], Array(Self.identity.dropLast()), Self.identity + [0]] {
            #expect(throws: ImageError.self) { try Effects.ColorMatrix(rows).resultSize(of: size, in: context) }
        }
        for number in [Double.nan, .infinity, 1e7] {
            var rows = Self.identity
            rows[7] = number
            #expect(throws: ImageError.self) { try Effects.ColorMatrix(rows).resultSize(of: size, in: context) }
        }
    }
}
