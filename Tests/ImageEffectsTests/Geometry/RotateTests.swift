import ImageEffects
import Raster
import Testing

@Suite("Rotate")
struct RotateTests {
    static let sizes = [(1, 1), (1, 7), (9, 1), (2, 3), (17, 13), (61, 38)]
    static let angles = [7.0, 0.01, 45, 89.99, 133.7, -91, 725]

    @Test("Multiples of 90° only move pixels")
    func quarters() throws {
        let context = try EffectContext()
        let picture = try TextPicture("RGb\nKW.").bitmap()
        for (degrees, wanted) in [
            (0, "RGb\nKW."), (90, "KR\nWG\n.b"), (180, ".WK\nbGR"), (270, "b.\nGW\nRK"), (-90, "b.\nGW\nRK"),
            (450, "KR\nWG\n.b"), (-180, ".WK\nbGR"), (360_000_000, "RGb\nKW."), (-450, "b.\nGW\nRK"),
        ] as [(Double, TextPicture)] {
            for bits in [8, 16] {
                let source = try TextPicture(picture).bitmap(bits: bits)
                let turned = try Effects.Rotate(degrees: degrees).apply(to: source, in: context)
                #expect(TextPicture(turned) == wanted, "\(degrees)")
                #expect(try Effects.Rotate(degrees: degrees).resultSize(of: source.size, in: context) == turned.size)
            }
        }
        let opaque = try TextPicture("RG\nBW").bitmap()
        #expect(try Effects.Rotate(degrees: 90).apply(to: opaque, in: context).alpha == AlphaMode.none)
    }

    @Test(
        "At any angle and size, pixels are within 1 of double precision", arguments: [AlphaMode.none, .premultiplied])
    func accuracy(alpha: AlphaMode) throws {
        var noise = Noise(5)
        for filter in [ResamplingFilter.automatic, .bilinear, .lanczos3] {
            let context = try EffectContext(options: EffectOptions(filter: filter))
            for (width, height) in Self.sizes {
                let picture = try noise.picture(width, height, alpha: alpha)
                for degrees in Self.angles {
                    let result = try Effects.Rotate(degrees: degrees).apply(to: picture, in: context)
                    #expect(result.keepsItsWord)
                    let reference = RotationReference.turn(
                        ReferencePicture(picture), degrees: degrees, filter: filter)
                    #expect(
                        reference.largestDifference(result) <= 1, "\(width)x\(height) by \(degrees), \(filter)")
                }
            }
        }
    }

    @Test("16 bits and linear light are within 1/255 of double precision", arguments: [AlphaMode.none, .premultiplied])
    func float(alpha: AlphaMode) throws {
        var noise = Noise(6)
        for (bits, isLinear, allowed) in [(16, false, 2), (16, true, 16), (8, true, 1)] {
            let options = EffectOptions(linearLight: isLinear, bitsPerChannel: bits)
            let context = try EffectContext(options: options)
            for (width, height) in Self.sizes {
                let picture = try noise.picture(width, height, bits: bits, alpha: alpha)
                for degrees in Self.angles {
                    let result = try Effects.Rotate(degrees: degrees).apply(to: picture, in: context)
                    #expect(result.format == picture.format)
                    #expect(result.keepsItsWord)
                    let reference = RotationReference.turn(
                        ReferencePicture(picture), degrees: degrees, filter: .bicubic, linearLight: isLinear)
                    let difference = reference.largestDifference(result)
                    #expect(difference <= allowed, "\(width)x\(height) by \(degrees), \(bits) bits, \(isLinear)")
                }
            }
        }
    }

    @Test("Angles that aren't finite and canvases beyond the limit are refused")
    func refusals() throws {
        let context = try EffectContext()
        let size = PixelSize(width: 10, height: 10)
        for degrees in [Double.nan, .infinity, -.infinity] {
            let error = #expect(throws: ImageError.self) {
                try Effects.Rotate(degrees: degrees).resultSize(of: size, in: context)
            }
            #expect(error?.code == .invalidParameter)
        }
        let tight = try EffectContext(options: EffectOptions(maximumPixelCount: 120))
        #expect(try Effects.Rotate(degrees: 90).resultSize(of: size, in: tight) == size)
        let error = #expect(throws: ImageError.self) {
            try Effects.Rotate(degrees: 45).resultSize(of: size, in: tight)
        }
        #expect(error?.code == .limitExceeded)
        #expect(throws: ImageError.self) {
            try Effects.Rotate(degrees: 45).apply(
                to: TextPicture("RRRRRRRRRRRRRRRR\nRRRRRRRRRRRRRRRR").bitmap(), in: tight)
        }
    }
}
