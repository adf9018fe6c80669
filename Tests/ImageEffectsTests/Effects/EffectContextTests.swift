import ImageEffects
import Raster
import Testing

@Suite("The context of effects")
struct EffectContextTests {
    @Test("Lengths are points at the image's scale or another, or pixels")
    func units() throws {
        #expect(try EffectContext(scale: 2).pixels(10, "a length") == 20)
        #expect(try EffectContext(options: EffectOptions(units: .pixels), scale: 2).pixels(10, "a length") == 10)
        let explicit = EffectOptions(units: .pointsOf(scale: 3))
        #expect(try EffectContext(options: explicit, scale: 2).pixels(-10, "a length") == -30)
    }

    @Test("Invalid scales are refused", arguments: [0, -1, Double.nan, .infinity])
    func scales(scale: Double) throws {
        for options in [EffectOptions(), EffectOptions(units: .pointsOf(scale: scale))] {
            let error = #expect(throws: ImageError.self) { try EffectContext(options: options, scale: scale) }
            #expect(error?.code == .invalidParameter)
        }
        // What isn't used isn't looked at.
        #expect(try EffectContext(options: EffectOptions(units: .pixels), scale: scale).pixelsPerUnit == 1)
        #expect(try EffectContext(options: EffectOptions(units: .pointsOf(scale: 2)), scale: scale).pixelsPerUnit == 2)
    }

    @Test("Depths are 8 and 16", arguments: [0, 1, 10, 32, -8])
    func depths(bits: Int) {
        let error = #expect(throws: ImageError.self) {
            try EffectContext(options: EffectOptions(bitsPerChannel: bits))
        }
        #expect(error?.code == .invalidParameter)
    }

    @Test("Invalid lengths are refused by name")
    func lengths() throws {
        let context = try EffectContext(scale: 2)
        for length in [Double.nan, .infinity, -.infinity, 1e10, -1e10, .greatestFiniteMagnitude] {
            let error = #expect(throws: ImageError.self) { try context.pixels(length, "a blur") }
            #expect(error?.code == .invalidParameter)
            #expect(error?.message.contains("a blur") == true)
            #expect(throws: ImageError.self) { try context.nonNegativePixels(length, "a blur") }
        }
        #expect(throws: ImageError.self) { try context.nonNegativePixels(-0.001, "a radius") }
        #expect(try context.nonNegativePixels(0, "a radius") == 0)
        #expect(try context.pixels(8_388_608, "a width") == 16_777_216)
        #expect(throws: ImageError.self) { try context.pixels(8_388_609, "a width") }
    }

    @Test("Sizes are checked before memory is allocated")
    func sizes() throws {
        let context = try EffectContext(options: EffectOptions(maximumPixelCount: 100))
        #expect(try context.validated(PixelSize(width: 10, height: 10)) == PixelSize(width: 10, height: 10))
        let table: [(PixelSize, ImageError.Code)] = [
            (PixelSize(width: 0, height: 1), .invalidParameter), (PixelSize(width: 1, height: -1), .invalidParameter),
            (PixelSize(width: 101, height: 1), .limitExceeded),
            (PixelSize(width: .max, height: .max), .limitExceeded),
        ]
        for (size, code) in table {
            let error = #expect(throws: ImageError.self) { try context.validated(size) }
            #expect(error?.code == code)
        }
    }
}
