import Foundation
import ImageLoadingTestSupport
import TesseraCompatibility
import Testing

@Suite("FXImageView's methods of images")
struct ImageMethodTests {
    /// A method, and the effect that it applies.
    struct Pair: Sendable, CustomTestStringConvertible {
        let effect: any ImageEffect
        let method: @Sendable (Image) -> Image?

        init(_ effect: any ImageEffect, _ method: @escaping @Sendable (Image) -> Image?) {
            self.effect = effect
            self.method = method
        }

        var testDescription: String { effect.identity.name }
    }

    private static let box = CGSize(width: 10, height: 20)
    private static let rect = CGRect(x: 4, y: 2, width: 10, height: 8)

    @Test(
        "Each is the effect of its name",
        arguments: [
            Pair(.crop(x: 4, y: 2, width: 10, height: 8)) { $0.imageCropped(to: rect) },
            Pair(.scale(width: 10, height: 20)) { $0.imageScaled(to: box) },
            Pair(.scaleToFit(width: 10, height: 20)) { $0.imageScaled(toFit: box) },
            Pair(.scaleToFill(width: 10, height: 20)) { $0.imageScaled(toFill: box) },
            Pair(.cropAndScale(width: 10, height: 20, contentMode: .aspectFit, padToFit: true)) {
                $0.imageCroppedAndScaled(to: box, contentMode: .scaleAspectFit, padToFit: true)
            },
            Pair(.cropAndScale(width: 10, height: 20, contentMode: .aspectFill)) {
                $0.imageCroppedAndScaled(to: box, contentMode: .scaleAspectFill, padToFit: false)
            },
            Pair(.reflected(scale: 0.5)) { $0.reflectedImage(withScale: 0.5) },
            Pair(.reflection(scale: 0.5, gap: 2, alpha: 0.25)) {
                $0.withReflectionWithScale(0.5, gap: 2, alpha: 0.25)
            },
            Pair(.shadow(color: RGBA8(9, 8, 7), x: 10, y: 20, blur: 3)) {
                $0.withShadowColor(RGBA8(9, 8, 7), offset: box, blur: 3)
            },
            Pair(.cornerRadius(5)) { $0.withCornerRadius(5) },
            Pair(.opacity(0.5)) { $0.withAlpha(0.5) },
            Pair(.maskFromAlpha) { $0.maskImageFromImageAlpha() },
        ])
    func effects(pair: Pair) throws {
        let image = Image(try TestPicture.bitmap(24, 16, alpha: .straight), scale: 2)
        let (expected, result) = (try image.applying(pair.effect), try #require(pair.method(image)))
        #expect(result.size == expected.size && result.scale == 2)
        #expect(try result.bitmap().tightBytes() == expected.bitmap().tightBytes())
    }

    @Test("Masks of different images are different effects")
    func masks() throws {
        let image = Image(try TestPicture.bitmap(8, 8))
        let black = try #require(image.withMask(try .pixel(0))?.bitmap())
        let white = try #require(image.withMask(try .pixel(255))?.bitmap())
        #expect(black.pixel(3, 3).alpha == 0 && white.pixel(3, 3).alpha == 255)
    }

    @Test("Invalid parameters give nil")
    func invalid() throws {
        let image = Image(try TestPicture.bitmap(8, 8))
        let nowhere = CGSize(width: CGFloat.nan, height: 4)
        #expect(image.imageScaled(to: nowhere) == nil && image.withAlpha(-1) == nil)
        #expect(image.imageScaled(toFit: CGSize(width: 1e9, height: 1e9)) == nil)
    }
}
