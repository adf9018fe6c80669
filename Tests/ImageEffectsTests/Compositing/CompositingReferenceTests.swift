import ImageEffects
import Raster
import Testing

/// Compositing against the plain formulas in double precision.
@Suite("Compositing, compared with a reference")
struct CompositingReferenceTests {
    /// Pictures of all awkward sizes, opaque and not.
    private static func pictures(_ bits: Int, _ noise: inout Noise) throws -> [Bitmap] {
        var pictures: [Bitmap] = []
        for (width, height) in awkwardSizes {
            for alpha in [AlphaMode.none, .premultiplied] {
                pictures.append(try noise.picture(width, height, bits: bits, alpha: alpha))
            }
        }
        return pictures
    }

    private static func context(_ bits: Int) throws -> EffectContext {
        try EffectContext(options: EffectOptions(bitsPerChannel: bits))
    }

    @Test("Opacity agrees with the reference", arguments: [8, 16], [0, 0.001, 0.25, 0.5, 0.7, 0.999, 1] as [Double])
    func opacity(bits: Int, alpha: Double) throws {
        var noise = Noise(1)
        for picture in try Self.pictures(bits, &noise) {
            let result = try Effects.Opacity(alpha).apply(to: picture, in: Self.context(bits))
            #expect(ReferencePicture(picture).scaled(by: alpha).largestDifference(result) <= 1)
            #expect(result.keepsItsWord)
        }
    }

    @Test("Masks agree with the reference", arguments: [8, 16], [false, true])
    func mask(bits: Int, isInverted: Bool) throws {
        var noise = Noise(2)
        for picture in try Self.pictures(bits, &noise) {
            let grey = try noise.picture(picture.width, picture.height, bits: bits, alpha: .none)
                .converted(to: bits == 16 ? .gray16 : .gray8)
            let mask = EffectPicture(Image(grey), reference: "noise")
            let result = try Effects.Mask(mask, isInverted: isInverted).apply(to: picture, in: Self.context(bits))
            let shown = ReferencePicture(try grey.converted(to: bits == 16 ? .rgba16 : .rgba8))
            let expected = ReferencePicture(picture).masked { isInverted ? 1 - shown[$0, $1].x : shown[$0, $1].x }
            #expect(expected.largestDifference(result) == 0)
            #expect(result.keepsItsWord)
        }
    }

    @Test(
        "Flattening agrees with the reference", arguments: [8, 16], ["#ffffff", "#336699", "#80ff0080", "#00000000"])
    func flatten(bits: Int, color: String) throws {
        var noise = Noise(3)
        let color = RGBA8(hex: color)!
        for picture in try Self.pictures(bits, &noise) {
            let result = try Effects.Flatten(color: color).apply(to: picture, in: Self.context(bits))
            #expect(ReferencePicture(picture).flattened(on: color).largestDifference(result) <= 1)
            #expect(result.keepsItsWord)
            #expect(result.alpha == (color.alpha == 255 || picture.alpha == .none ? AlphaMode.none : .premultiplied))
        }
    }

    @Test("Overlays agree with the reference", arguments: [8, 16], BlendMode.allCases)
    func overlay(bits: Int, mode: BlendMode) throws {
        var noise = Noise(4)
        for picture in try Self.pictures(bits, &noise) {
            for (x, y, opacity) in [(0, 0, 1), (-2, 1, 0.6), (3, -1, 1), (1, 0, 0.01)] as [(Int, Int, Double)] {
                let alpha = noise.whole(0...1) == 0 ? AlphaMode.none : .premultiplied
                let upper = try noise.picture(noise.whole(1...40), noise.whole(1...5), bits: bits, alpha: alpha)
                let effect = Effects.Overlay(
                    EffectPicture(Image(upper), reference: "noise"), x: Double(x), y: Double(y), opacity: opacity,
                    blendMode: mode)
                let result = try effect.apply(to: picture, in: Self.context(bits))
                let expected = ReferencePicture(picture).laidUnder(
                    ReferencePicture(upper), x, y, opacity: opacity, mode)
                #expect(expected.largestDifference(result) <= 1)
                #expect(result.keepsItsWord)
                #expect(result.alpha == picture.alpha)
            }
        }
    }

    @Test("Tints agree with the reference", arguments: [8, 16], BlendMode.allCases)
    func tint(bits: Int, mode: BlendMode) throws {
        var noise = Noise(5)
        for picture in try Self.pictures(bits, &noise) {
            for color in ["#000000", "#ffffff", "#ff8040", "#20c08080", "#80808001"].map({ RGBA8(hex: $0)! }) {
                let result = try Effects.Tint(color: color, blendMode: mode).apply(to: picture, in: Self.context(bits))
                let difference = ReferencePicture(picture).tinted(color, mode).largestDifference(result)
                #expect(difference <= (bits == 16 ? 2 : 1))
                #expect(result.keepsItsWord)
                #expect(result.alpha == picture.alpha)
            }
        }
    }

    @Test(
        "Reflections agree with the reference", arguments: [8, 16],
        [(1, 0, 1), (0.5, 2, 0.5), (1.5, -1, 0.3), (1, -2, 1)])
    func reflection(bits: Int, parameters: (scale: Double, gap: Double, alpha: Double)) throws {
        var noise = Noise(6)
        for picture in try Self.pictures(bits, &noise) {
            let (scale, gap, alpha) = parameters
            let count = Int((Double(picture.height) * scale).rounded(.up))
            let context = try Self.context(bits)
            let reference = ReferencePicture(picture)
            let reflected = try Effects.Reflected(scale: scale).apply(to: picture, in: context)
            #expect(reference.reflected(count).largestDifference(reflected) <= 1)
            #expect(reflected.keepsItsWord)
            let effect = Effects.Reflection(scale: scale, gap: gap, alpha: alpha)
            guard picture.height + 2 * (count + Int(gap)) > 0 else { continue }
            let result = try effect.apply(to: picture, in: context)
            #expect(try result.size == effect.resultSize(of: picture.size, in: context))
            #expect(reference.withReflection(count, gap: Int(gap), alpha: alpha).largestDifference(result) <= 1)
            #expect(result.keepsItsWord)
        }
    }
}
