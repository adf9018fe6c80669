import ImageEffects
import Raster
import Testing

@Suite("Scale, scale to fit, scale to fill, cover")
struct ScalingTests {
    /// Pictures and bounds, in whole and half pixels.
    static let sizes = [(512, 384), (384, 512), (100, 100), (3000, 2000), (1, 1), (1, 50), (77, 1), (13, 17)]
    static let bounds: [(Double, Double)] = [
        (224, 186), (200, 200), (1, 1), (33.5, 20.25), (512, 384), (640, 10), (10, 640), (0.2, 0.3),
    ]

    /// The nearest whole pixels, halves up, at least one.
    static func whole(_ length: Double) -> Int { max(1, Int((length + 0.5).rounded(.down))) }

    @Test("Sizes follow the formulas")
    func sizes() throws {
        let context = try EffectContext()
        for (width, height) in Self.sizes {
            let size = PixelSize(width: width, height: height)
            let aspect = Double(width) / Double(height)
            for (w, h) in Self.bounds {
                let fits = w / aspect <= h
                let fit = fits ? (w, w / aspect) : (h * aspect, h)
                let covers = w / aspect >= h
                let cover = covers ? (w, w / aspect) : (h * aspect, h)
                #expect(
                    try Effects.ScaleToFit(width: w, height: h).resultSize(of: size, in: context)
                        == PixelSize(width: Self.whole(fit.0), height: Self.whole(fit.1)))
                #expect(
                    try Effects.Cover(width: w, height: h).resultSize(of: size, in: context)
                        == PixelSize(width: Self.whole(cover.0), height: Self.whole(cover.1)))
                let exact = PixelSize(width: Self.whole(w), height: Self.whole(h))
                #expect(try Effects.Scale(width: w, height: h).resultSize(of: size, in: context) == exact)
                #expect(try Effects.ScaleToFill(width: w, height: h).resultSize(of: size, in: context) == exact)
            }
        }
    }

    @Test(
        "Pixels are within 1 of double precision", arguments: ResamplingFilter.allCases,
        [AlphaMode.none, .premultiplied])
    func pixels(filter: ResamplingFilter, alpha: AlphaMode) throws {
        var noise = Noise(41)
        for (bits, isLinear) in [(8, false), (16, false), (8, true)] {
            let options = EffectOptions(filter: filter, linearLight: isLinear, bitsPerChannel: bits)
            let context = try EffectContext(options: options)
            for (width, height) in [(1, 1), (23, 17), (5, 40)] {
                let picture = try noise.picture(width, height, bits: bits, alpha: alpha)
                let reference = ReferencePicture(picture)
                for (w, h) in [(10.0, 10.0), (31, 12), (3, 29)] {
                    for effect in [
                        Effects.Scale(width: w, height: h), Effects.ScaleToFit(width: w, height: h),
                        Effects.Cover(width: w, height: h),
                    ] as [any ImageEffect] {
                        let result = try effect.apply(to: picture, in: context)
                        #expect(result.size == (try effect.resultSize(of: picture.size, in: context)))
                        #expect(result.alpha == alpha && result.format == picture.format && result.keepsItsWord)
                        let wanted = reference.resampled(to: result.size, filter: filter, linearLight: isLinear)
                        #expect(wanted.largestDifference(result) <= 1, "\(effect), \(bits) bits, light \(isLinear)")
                    }
                    // Filling is covering and cutting off what is too much on both sides.
                    let filled = try Effects.ScaleToFill(width: w, height: h).apply(to: picture, in: context)
                    let step = min(Double(width) / w, Double(height) / h)
                    let region = PixelRegion(
                        x: (Double(width) - w * step) / 2, y: (Double(height) - h * step) / 2, width: w * step,
                        height: h * step)
                    let wanted = reference.resampled(
                        to: filled.size, region: region, filter: filter, linearLight: isLinear)
                    #expect(wanted.largestDifference(filled) <= 1, "fill, \(bits) bits, light \(isLinear)")
                }
            }
        }
    }

    @Test("Filling crops, centred")
    func fillCrops() throws {
        let context = try EffectContext()
        let wide = try TextPicture("RGGB\nRGGB").bitmap()
        #expect(TextPicture(try Effects.ScaleToFill(width: 2, height: 2).apply(to: wide, in: context)) == "GG\nGG")
        let tall = try TextPicture("R\nG\nB").bitmap()
        #expect(TextPicture(try Effects.ScaleToFill(width: 1, height: 1).apply(to: tall, in: context)) == "G")
    }

    @Test("Scaling to the image's own size changes nothing, and fitting twice is fitting once")
    func idempotence() throws {
        let context = try EffectContext()
        var noise = Noise(43)
        for _ in 0..<40 {
            let picture = try noise.picture(noise.whole(1...50), noise.whole(1...50))
            let (w, h) = (Double(picture.width), Double(picture.height))
            for same in [
                Effects.Scale(width: w, height: h), Effects.ScaleToFit(width: w, height: h),
                Effects.Cover(width: w, height: h), Effects.ScaleToFill(width: w, height: h),
            ] as [any ImageEffect] {
                #expect(try same.apply(to: picture, in: context).tightBytes() == picture.tightBytes())
            }
            let fit = Effects.ScaleToFit(
                width: Double(noise.whole(1...40)), height: Double(noise.whole(1...40)))
            let once = try fit.apply(to: picture, in: context)
            #expect(once.width <= Int(fit.width) && once.height <= Int(fit.height))
            #expect(once.width == Int(fit.width) || once.height == Int(fit.height))
        }
    }

    @Test("Invalid sizes are refused")
    func refusals() throws {
        let context = try EffectContext()
        let size = PixelSize(width: 30, height: 20)
        let table: [(Double, Double, ImageError.Code)] = [
            (0, 1, .invalidParameter), (1, 0, .invalidParameter), (-5, 5, .invalidParameter),
            (.nan, 5, .invalidParameter), (5, .infinity, .invalidParameter), (1e30, 5, .invalidParameter),
        ]
        for (w, h, code) in table {
            for effect in [
                Effects.Scale(width: w, height: h), Effects.ScaleToFit(width: w, height: h),
                Effects.Cover(width: w, height: h), Effects.ScaleToFill(width: w, height: h),
                Effects.CropAndScale(width: w, height: h),
            ] as [any ImageEffect] {
                let error = #expect(throws: ImageError.self) { try effect.resultSize(of: size, in: context) }
                #expect(error?.code == code, "\(effect)")
            }
        }
        let large = Effects.Scale(width: 1e5, height: 1e5)
        #expect(throws: ImageError.self) { try large.resultSize(of: size, in: context) }
        // A strip that is one pixel high would have to become enormous to cover a square.
        let strip = PixelSize(width: 1 << 20, height: 1)
        let error = #expect(throws: ImageError.self) {
            try Effects.Cover(width: 1e5, height: 1e5).resultSize(of: strip, in: context)
        }
        #expect(error?.code == .limitExceeded)
    }
}
