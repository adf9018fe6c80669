import ImageEffects
import Raster
import Testing

@Suite("Custom effects")
struct CustomTests {
    @Test("A closure's result replaces the image, in any pixel format")
    func kinds() throws {
        let image = Image(try TextPicture("RG").bitmap(), scale: 2)
        let result = try image.applying(
            .custom("com.example.sideways") { image throws(ImageError) in
                Image(try image.bitmap(), orientation: .right)
            },
            .custom("com.example.straight") { image throws(ImageError) in
                #expect(image.scale == 2)
                #expect(image.size == PixelSize(width: 1, height: 2))
                return Image(try image.bitmap().converted(to: .rgba16, alpha: .straight))
            })
        #expect(TextPicture(try result.bitmap()) == "R\nG")
        #expect(try result.bitmap().format == .rgba8)
        #expect(result.scale == 2)
    }

    @Test("The closure's error is thrown, and a result beyond the limit is an error")
    func errors() throws {
        let failing = Effects.Custom(identifier: "failing") { _ throws(ImageError) in
            throw ImageError(.unsupported, "not today")
        }
        let picture = try TextPicture("RG").bitmap()
        let error = #expect(throws: ImageError.self) { try failing.apply(to: picture, in: EffectContext()) }
        #expect(error?.code == .unsupported)
        let same = Effects.Custom(identifier: "same") { $0 }
        let tight = try EffectContext(options: EffectOptions(maximumPixelCount: 1))
        let second = #expect(throws: ImageError.self) { try same.apply(to: picture, in: tight) }
        #expect(second?.code == .limitExceeded)
    }

    @Test("Only the identifier decides equality")
    func identity() {
        let (a, b) = (Effects.Custom(identifier: "a") { $0 }, Effects.Custom(identifier: "b") { $0 })
        #expect(a == Effects.Custom(identifier: "a") { image throws(ImageError) in Image(try image.bitmap()) })
        #expect(a != b)
        #expect(a.identity != b.identity)
        #expect(Set([a, b, a]).count == 2)
    }
}
