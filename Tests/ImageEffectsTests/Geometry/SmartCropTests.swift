import ImageEffects
import Raster
import Testing

@Suite("Smart crop")
struct SmartCropTests {
    /// A grey picture, opaque, with something to see in one rectangle of it.
    static func picture(_ width: Int, _ height: Int, subject: PixelRect, seed: UInt64 = 3) throws -> Bitmap {
        var noise = Noise(seed)
        let info = BitmapInfo(size: PixelSize(width: width, height: height), format: .rgba8)
        return try Bitmap(info) { x, y in
            let isInside =
                x >= subject.x && x < subject.x + subject.width && y >= subject.y && y < subject.y + subject.height
            return isInside ? (0..<3).map { _ in noise.whole(0...255) } + [255] : [120, 120, 120, 255]
        }
    }

    @Test("The subject is in the crop at every orientation", arguments: Effects.SmartCrop.Strategy.allCases)
    func findsTheSubject(strategy: Effects.SmartCrop.Strategy) throws {
        let context = try EffectContext()
        for place in [10, 90, 200, 320] {
            let wide = try Self.picture(400, 100, subject: PixelRect(x: place, y: 30, width: 60, height: 40))
            let crop = try Effects.SmartCrop(width: 100, height: 100, strategy: strategy).apply(to: wide, in: context)
            #expect(crop.size == PixelSize(width: 100, height: 100))
            #expect(coloured(crop) == coloured(wide), "\(strategy) at \(place)")
            let tall = try wide.oriented(by: .right)
            let upright = try Effects.SmartCrop(width: 100, height: 100, strategy: strategy).apply(
                to: tall, in: context)
            #expect(coloured(upright) == coloured(wide), "\(strategy) at \(place) from the top")
        }
    }

    /// How many pixels aren't the plain grey.
    private func coloured(_ bitmap: Bitmap) -> Int {
        var count = 0
        for y in 0..<bitmap.height {
            for x in 0..<bitmap.width where bitmap.channels(x, y) != [120, 120, 120, 255] { count += 1 }
        }
        return count
    }

    @Test("Skin draws attention", arguments: [40, 260])
    func skin(place: Int) throws {
        let context = try EffectContext()
        let info = BitmapInfo(size: PixelSize(width: 400, height: 100), format: .rgba8)
        // Two squares equally unlike the grey, one of them of the colour of skin.
        let picture = try Bitmap(info) { x, y in
            guard y >= 30, y < 70 else { return [110, 110, 110, 255] }
            if x >= place, x < place + 40 { return [200, 150, 120, 255] }
            return x >= 360 - place && x < 400 - place ? [120, 150, 200, 255] : [110, 110, 110, 255]
        }
        let crop = try Effects.SmartCrop(width: 100, height: 100).apply(to: picture, in: context)
        #expect(crop.channels(50, 50) == [200, 150, 120, 255])
    }

    @Test("An image without a subject is cropped in the middle", arguments: Effects.SmartCrop.Strategy.allCases)
    func plain(strategy: Effects.SmartCrop.Strategy) throws {
        let context = try EffectContext()
        let info = BitmapInfo(size: PixelSize(width: 300, height: 100), format: .rgba8)
        // A column of another grey marks the middle, too faint to draw anything but the eye of a test.
        let picture = try Bitmap(info) { x, _ in x == 150 ? [101, 100, 100, 255] : [100, 100, 100, 255] }
        let crop = try Effects.SmartCrop(width: 100, height: 100, strategy: strategy).apply(to: picture, in: context)
        #expect((45...55).contains { crop.channels($0, 50) == [101, 100, 100, 255] })
    }

    @Test(
        "Any size is cropped to any other, with the same result each time",
        arguments: Effects.SmartCrop.Strategy.allCases)
    func sizes(strategy: Effects.SmartCrop.Strategy) throws {
        var noise = Noise(12)
        for _ in 0..<60 {
            let bits = noise.whole(0...1) == 0 ? 8 : 16
            let context = try EffectContext(options: EffectOptions(bitsPerChannel: bits), scale: noise.number(0.5...3))
            let picture = try noise.picture(noise.whole(1...90), noise.whole(1...90), bits: bits)
            let effect = Effects.SmartCrop(
                width: noise.number(1...60), height: noise.number(1...60), strategy: strategy)
            let crop = try effect.apply(to: picture, in: context)
            #expect(crop.size == (try effect.resultSize(of: picture.size, in: context)))
            #expect(crop.tightBytes() == (try effect.apply(to: picture, in: context)).tightBytes())
            #expect(crop.format == picture.format && crop.keepsItsWord)
            // What it made has the size already.
            #expect(try effect.apply(to: crop, in: context).tightBytes() == crop.tightBytes())
        }
    }

    @Test("Invalid sizes are refused")
    func refusals() throws {
        let context = try EffectContext()
        let size = PixelSize(width: 10, height: 10)
        for (width, height) in [(0, 5), (5, -1), (.nan, 5), (5, .infinity), (1e300, 5)] as [(Double, Double)] {
            #expect(throws: ImageError.self) {
                try Effects.SmartCrop(width: width, height: height).resultSize(of: size, in: context)
            }
        }
        let tall = try TextPicture("R\nG\nB\nR\nG\nB\nR\nG\nB").bitmap()
        let tight = try EffectContext(options: EffectOptions(maximumPixelCount: 200))
        let error = #expect(throws: ImageError.self) {
            try Effects.SmartCrop(width: 10, height: 10).apply(to: tall, in: tight)
        }
        #expect(error?.code == .limitExceeded)
    }
}
