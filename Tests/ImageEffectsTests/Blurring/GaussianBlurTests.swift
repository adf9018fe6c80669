import ImageEffects
import Raster
import Testing

@Suite("Gaussian blur")
struct GaussianBlurTests {
    static let context = try! EffectContext()

    /// Noise, or a picture whose left and right halves are black and white with a few dots: what shows errors best.
    static func picture(
        _ noise: inout Noise, _ width: Int, _ height: Int, bits: Int = 8, alpha: AlphaMode, isHard: Bool
    ) throws -> Bitmap {
        guard isHard else { return try noise.picture(width, height, bits: bits, alpha: alpha) }
        let largest = (1 << bits) - 1
        let info = BitmapInfo(
            size: PixelSize(width: width, height: height), format: bits == 16 ? .rgba16 : .rgba8, alpha: alpha)
        return try Bitmap(info) { x, y in
            let white = (x * 2 >= width) != (x % 16 == 3 && y % 16 == 5)
            let value = white ? largest : 0
            let opaque = alpha == .none || y * 3 >= height ? largest : 0
            return [min(value, opaque), min(largest - value, opaque), opaque, opaque]
        }
    }

    @Test(
        "Results agree with the sum over all pixels",
        arguments: [0.1, 0.25, 0.4, 0.7, 1, 1.5, 2, 3, 3.7, 3.8, 5, 7, 9.9, 10, 13, 20, 33, 50, 81, 120, 500])
    func reference(sigma: Double) throws {
        var noise = Noise(UInt64(sigma * 100))
        for (width, height) in [(1, 1), (1, 17), (18, 1), (7, 5), (33, 26)] {
            for (alpha, isHard) in [
                (AlphaMode.none, false), (.premultiplied, false), (.none, true), (.premultiplied, true),
            ] {
                let picture = try Self.picture(&noise, width, height, alpha: alpha, isHard: isHard)
                let wanted = ReferencePicture(picture).blurred(sigma: sigma)
                try Vectors.onEachPath {
                    let result = try Effects.GaussianBlur(radius: sigma).apply(to: picture, in: Self.context)
                    #expect(wanted.largestDifference(result) <= 1, "\(width)x\(height) \(alpha) \(isHard)")
                    #expect(result.info == picture.info)
                    #expect(result.keepsItsWord)
                }
            }
        }
    }

    @Test("16 bits agree with the reference", arguments: [0.5, 2.5, 4, 12, 90])
    func deep(sigma: Double) throws {
        var noise = Noise(UInt64(sigma * 10))
        for alpha in [AlphaMode.none, .premultiplied] {
            for isHard in [false, true] {
                let picture = try Self.picture(&noise, 41, 23, bits: 16, alpha: alpha, isHard: isHard)
                let result = try Effects.GaussianBlur(radius: sigma).apply(to: picture, in: Self.context)
                // A 255th of what there is: the Gaussian's far ends don't count.
                #expect(ReferencePicture(picture).blurred(sigma: sigma).largestDifference(result) <= 257)
                #expect(result.keepsItsWord)
            }
        }
    }

    @Test("Linear light agrees with the reference", arguments: [0.5, 2.5, 4, 12, 90])
    func light(sigma: Double) throws {
        var noise = Noise(UInt64(sigma * 10))
        let context = try EffectContext(options: EffectOptions(linearLight: true))
        for alpha in [AlphaMode.none, .premultiplied] {
            let picture = try noise.smoothPicture(41, 23, alpha: alpha)
            let result = try Effects.GaussianBlur(radius: sigma).apply(to: picture, in: context)
            let wanted = ReferencePicture(picture).light().blurred(sigma: sigma).stored()
            #expect(wanted.largestDifference(result) <= 1)
            #expect(result.keepsItsWord)
        }
    }

    @Test(
        "A plain colour is unchanged at any radius", arguments: [0.1, 1, 3, 4, 9, 47, 500, 5000, 1e6, 1.6e7])
    func plain(sigma: Double) throws {
        for color in [[255, 255, 255, 255], [7, 0, 200, 201], [1, 1, 1, 1], [0, 0, 0, 0]] {
            for bits in [8, 16] {
                let info = BitmapInfo(
                    size: PixelSize(width: 19, height: 70), format: bits == 16 ? .rgba16 : .rgba8,
                    alpha: .premultiplied)
                let picture = try Bitmap(info) { _, _ in color.map { bits == 16 ? $0 * 257 : $0 } }
                let result = try Effects.GaussianBlur(radius: sigma).apply(to: picture, in: Self.context)
                #expect(result.largestDifference(picture) == 0, "\(color) of \(bits) bits")
            }
        }
    }

    @Test(
        "Two blurs equal one with the sum of their variances", arguments: [(3.0, 4.0), (6, 8), (0.8, 0.6)])
    func composition(first: Double, second: Double) throws {
        var noise = Noise(5)
        let picture = try noise.smoothPicture(90, 60)
        let both = (first * first + second * second).squareRoot()
        let twice = try Effects.GaussianBlur(radius: second).apply(
            to: try Effects.GaussianBlur(radius: first).apply(to: picture, in: Self.context), in: Self.context)
        let once = try Effects.GaussianBlur(radius: both).apply(to: picture, in: Self.context)
        // The edges' pixels are repeated anew for the second.
        let (reach, size) = (Int(3 * both), picture.size)
        var largest = 0
        for y in reach..<max(reach + 1, size.height - reach) {
            for x in reach..<size.width - reach {
                for (a, b) in zip(once.channels(x, y), twice.channels(x, y)) { largest = max(largest, abs(a - b)) }
            }
        }
        #expect(largest <= 2)
    }

    @Test("The blur is symmetric", arguments: [0.6, 3, 4, 11, 60])
    func symmetry(sigma: Double) throws {
        var noise = Noise(9)
        let picture = try noise.picture(50, 37)
        let blur = Effects.GaussianBlur(radius: sigma)
        let result = try blur.apply(to: picture, in: Self.context)
        for orientation in Orientation.allCases {
            let turned = try blur.apply(to: try picture.oriented(by: orientation), in: Self.context)
            #expect(try result.oriented(by: orientation).largestDifference(turned) <= 1, "\(orientation)")
        }
    }

    @Test("Radii are in points")
    func scale() throws {
        var noise = Noise(2)
        let picture = try noise.picture(20, 20)
        let points = try Effects.GaussianBlur(radius: 1.5).apply(to: picture, in: try EffectContext(scale: 2))
        let pixels = try Effects.GaussianBlur(radius: 3).apply(to: picture, in: Self.context)
        #expect(points.largestDifference(pixels) == 0)
    }

    @Test(
        "A radius of 0 changes nothing, and an invalid one is an error",
        arguments: [-1, .nan, .infinity, -.infinity, 1e300])
    func mistakes(radius: Double) throws {
        let picture = try TextPicture("RG").bitmap()
        #expect(
            try Effects.GaussianBlur(radius: 0).apply(to: picture, in: Self.context).tightBytes()
                == picture.tightBytes())
        let blur = Effects.GaussianBlur(radius: radius)
        #expect(throws: ImageError.self) { try blur.apply(to: picture, in: Self.context) }
        #expect(throws: ImageError.self) { try blur.resultSize(of: picture.size, in: Self.context) }
    }
}
