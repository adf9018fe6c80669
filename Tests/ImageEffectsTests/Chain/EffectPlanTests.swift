import ImageEffects
import Raster
import Testing

@Suite("Plans of chains")
struct EffectPlanTests {
    /// Random chains of what can be planned and what can't.
    static func chain(_ noise: inout Noise, _ size: PixelSize) -> EffectChain {
        let effects = (0..<noise.whole(1...4)).map { _ -> any ImageEffect in
            let (w, h) = (noise.number(1...Double(size.width)), noise.number(1...Double(size.height)))
            switch noise.whole(0...9) {
            case 0, 1:
                let (x, y) = (noise.number(0...w / 2), noise.number(0...h / 2))
                return Effects.Crop(x: x, y: y, width: w / 2 + 1, height: h / 2 + 1)
            case 2:
                let outside = Effects.Crop.Outside.allCases[noise.whole(0...1)]
                return Effects.Crop(x: -w / 3, y: -h / 3, width: w, height: h, outside: outside)
            case 3: return Effects.ScaleToFit(width: w, height: h)
            case 4: return Effects.ScaleToFill(width: w, height: h)
            case 5: return Effects.Scale(width: w, height: h)
            case 6: return Effects.Cover(width: w / 2, height: h / 2)
            case 7: return Effects.Flip(.horizontal)
            case 8: return Effects.Rotate(degrees: 90)
            default:
                let mode = ContentMode.allCases[noise.whole(0...12)]
                return Effects.CropAndScale(width: w, height: h, contentMode: mode, padToFit: noise.whole(0...1) == 1)
            }
        }
        return EffectChain(effects)
    }

    @Test("A planned chain gives the same pixels as its effects one by one", arguments: [8, 16])
    func equalsSteps(bits: Int) throws {
        var noise = Noise(61)
        let context = try EffectContext(options: EffectOptions(bitsPerChannel: bits))
        for round in 0..<300 {
            let alpha = [AlphaMode.none, .premultiplied][round % 2]
            let picture = try noise.picture(noise.whole(1...60), noise.whole(1...60), bits: bits, alpha: alpha)
            let chain = Self.chain(&noise, picture.size)
            let wanted = try chain.apply(to: picture, in: context)
            let provider = StandInProvider(picture)
            let result = try Image(deferred: provider).applying(chain, options: context.options).bitmap()
            #expect(result.info == wanted.info, "\(picture.size): \(chain)")
            // A part is summed as the whole is, but for the last bit of a weight.
            #expect(result.largestDifference(wanted) <= 2, "\(picture.size): \(chain)")
            #expect(result.size == (try chain.resultSize(of: picture.size, in: context)))
            let plan = try chain.plan(for: picture.size, in: context)
            #expect(plan.resultSize == result.size)
            #expect(provider.plans == [plan.decoding])
        }
    }

    @Test("A smooth image decoded at a smaller size looks the same", arguments: StandInProvider.Habit.allCases)
    func decodedSmaller(habit: StandInProvider.Habit) throws {
        var noise = Noise(62)
        for round in 0..<80 {
            let alpha = [AlphaMode.none, .premultiplied][round % 2]
            let picture = try noise.smoothPicture(noise.whole(60...150), noise.whole(60...150), alpha: alpha)
            let chain = Self.chain(&noise, picture.size)
            let wanted = try chain.apply(to: picture, in: EffectContext())
            let provider = StandInProvider(picture, habit)
            let result = try Image(deferred: provider).applying(chain).bitmap()
            #expect(result.info == wanted.info, "\(picture.size): \(chain)")
            #expect(result.largestDifference(wanted) <= 12, "\(picture.size): \(chain)")
        }
    }

    @Test("Images are decoded no larger than needed")
    func asksForLittle() throws {
        let context = try EffectContext()
        let size = PixelSize(width: 4000, height: 3000)
        func plan(_ chain: EffectChain) throws -> DecodingPlan { try chain.plan(for: size, in: context).decoding }
        #expect(try plan([]) == .full)
        #expect(try plan([.flip(.vertical)]) == .full)
        #expect(try plan([.scale(width: 8000, height: 6000)]) == .full)
        let fitted = DecodingPlan(targetSize: PixelSize(width: 400, height: 300))
        #expect(try plan([.scaleToFit(width: 400, height: 400)]) == fitted)
        #expect(try plan([.scaleToFit(width: 400, height: 400), .flip(.vertical), .rotate(degrees: 3)]) == fitted)
        #expect(try plan([.cropAndScale(width: 400, height: 400, padToFit: true)]) == fitted)
        let cropped = DecodingPlan(region: PixelRect(x: 110, y: 220, width: 80, height: 60))
        #expect(
            try plan([
                .crop(x: 100, y: 200, width: 800, height: 600), .crop(x: 10, y: 20, width: 80, height: 60),
            ]) == cropped)
        // What is cut out is moved, not scaled: no pixel more is needed.
        #expect(
            try plan([.crop(x: -10, y: 2990, width: 30, height: 30)])
                == DecodingPlan(region: PixelRect(x: 0, y: 2990, width: 20, height: 10)))
        #expect(
            try plan([.crop(x: 100, y: 200, width: 800, height: 600), .scale(width: 80, height: 60)])
                == DecodingPlan(
                    region: PixelRect(x: 100, y: 200, width: 800, height: 600),
                    targetSize: PixelSize(width: 80, height: 60)))
        // Filling needs what is in the middle, and what the filter reaches beyond it.
        let fill = try plan([.scaleToFill(width: 300, height: 300)])
        // It begins and ends where a decoder's eighths and the resampler's means of five pixels do.
        #expect(fill.region == PixelRect(x: 440, y: 0, width: 3120, height: 3000))
        #expect(fill.targetSize == PixelSize(width: 312, height: 300))
        // Nothing of the picture shows.
        let gone = try plan([.crop(x: 5000, y: 0, width: 100, height: 100)])
        #expect(gone.region?.size == PixelSize(width: 1, height: 1))
    }

    @Test("For a smart crop, the image is decoded at the smallest covering size")
    func smartCrop() throws {
        let context = try EffectContext()
        let chain: EffectChain = [.smartCrop(width: 100, height: 100)]
        let plan = try chain.plan(for: PixelSize(width: 4000, height: 3000), in: context)
        #expect(plan.decoding == DecodingPlan(targetSize: PixelSize(width: 133, height: 100)))
        #expect(plan.resultSize == PixelSize(width: 100, height: 100))
        var noise = Noise(64)
        for strategy in Effects.SmartCrop.Strategy.allCases {
            let picture = try noise.picture(90, 60)
            let effect = Effects.SmartCrop(width: 20, height: 20, strategy: strategy)
            let result = try Image(deferred: StandInProvider(picture)).applying(effect).bitmap()
            #expect(result.largestDifference(try effect.apply(to: picture, in: context)) == 0)
        }
    }

    @Test("Stored images are turned upright before the first effect", arguments: Orientation.allCases)
    func orientation(orientation: Orientation) throws {
        var noise = Noise(63)
        let stored = try noise.picture(31, 20)
        let chain: EffectChain = [.crop(x: 2, y: 3, width: 14, height: 15), .scale(width: 7, height: 5)]
        let wanted = try chain.apply(to: stored.oriented(by: orientation), in: EffectContext())
        let image = Image(deferred: StandInProvider(stored), orientation: orientation)
        let result = try image.applying(chain)
        #expect(result.orientation == .up)
        #expect(try result.bitmap().largestDifference(wanted) <= 1)
    }

    @Test("Grey and straight-alpha images are converted for effects")
    func formats() throws {
        var noise = Noise(65)
        let straight = try noise.picture(8, 6, alpha: .straight)
        let wanted = try straight.converted(alpha: .premultiplied)
        #expect(try Image(straight).applying(EffectChain()).bitmap().tightBytes() == wanted.tightBytes())
        let grey = try TextPicture("159\n951").bitmap().converted(to: .gray16)
        #expect(TextPicture(try Image(grey).applying(.flip(.horizontal)).bitmap()) == "951\n159")
        let deep = try Image(grey).applying(.flip(.vertical), options: EffectOptions(bitsPerChannel: 16)).bitmap()
        #expect(deep.format == .rgba16 && deep.alpha == .none)
        #expect(TextPicture(deep) == "951\n159")
    }

    @Test("The result has the scale that lengths were measured in")
    func scale() throws {
        let picture = try TextPicture("RGBW\nRGBW").bitmap()
        let image = Image(picture, scale: 2)
        let points = try image.applying(.crop(x: 0, y: 0, width: 1, height: 1))
        #expect(points.scale == 2 && points.size == PixelSize(width: 2, height: 2))
        let pixels = try image.applying(
            .crop(x: 0, y: 0, width: 1, height: 1), options: EffectOptions(units: .pixels))
        #expect(pixels.scale == 2 && pixels.size == PixelSize(width: 1, height: 1))
        let four = try image.applying(
            .scale(width: 1, height: 1), options: EffectOptions(units: .pointsOf(scale: 4)))
        #expect(four.scale == 4 && four.size == PixelSize(width: 4, height: 4))
    }

    @Test("Invalid effects are refused before decoding")
    func refusals() throws {
        let provider = StandInProvider(try TextPicture("RG\nBW").bitmap())
        let image = Image(deferred: provider)
        for chain in [
            [.scale(width: 0, height: 1)], [.flip(.vertical), .scale(width: .nan, height: 1)],
            [.scale(width: 2, height: 2), .crop(x: 5, y: 5, width: 1, height: 1, outside: .intersected)],
            [.scale(width: 1e6, height: 1e6)],
        ] as [EffectChain] {
            #expect(throws: ImageError.self) { try image.applying(chain) }
        }
        #expect(provider.plans == [])
    }

    @Test("A bitmap smaller than planned is refused")
    func tooSmall() throws {
        let plan = try ([.scale(width: 10, height: 10)] as EffectChain)
            .plan(for: PixelSize(width: 100, height: 100), in: EffectContext())
        var noise = Noise(66)
        let error = try #require(throws: ImageError.self) { try plan.apply(to: noise.picture(9, 10)) }
        #expect(error.code == .invalidParameter)
        #expect(try plan.apply(to: noise.picture(10, 10)).size == PixelSize(width: 10, height: 10))
    }
}
