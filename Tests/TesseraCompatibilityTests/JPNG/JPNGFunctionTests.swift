import Foundation
import ImageLoadingTestSupport
import TesseraCompatibility
import Testing

@Suite("JPNG's functions")
struct JPNGFunctionTests {
    private let image: Image

    init() throws { image = Image(try TestPicture.bitmap(24, 16, alpha: .straight)) }

    @Test("Data of any of them is read by all of them")
    func roundTrip() throws {
        let files = [
            CGImageJPNGRepresentation(image, 0.8), UIImageJPNGRepresentation(image, 0.8),
            NSImageJPNGRepresentation(image, 0.8),
        ]
        #expect(Set(files).count == 1)
        let data = try #require(files[0])
        for forced in [false, true] {
            let decoded = try #require(CGImageCreateWithJPNGData(data, forced))
            #expect(decoded.isDecoded == forced && decoded.size == image.size && decoded.hasAlpha)
        }
        let turned = try #require(UIImageWithJPNGData(data, 3, .left))
        #expect(turned.scale == 3 && turned.size == PixelSize(width: 16, height: 24))
        #expect(NSImageWithJPNGData(data, 2)?.size == image.size)
    }

    @Test("The whole range of qualities is valid", arguments: [0, 0.001, 0.5, 1])
    func qualities(quality: CGFloat) throws {
        let data = try #require(UIImageJPNGRepresentation(image, quality))
        #expect(ImageType(data) == .jpng)
    }

    @Test("Invalid data and qualities give nil")
    func failures() throws {
        let png = Data(try image.data(as: .png))
        #expect(CGImageCreateWithJPNGData(png, false) == nil && UIImageWithJPNGData(Data(), 1, .up) == nil)
        #expect(NSImageWithJPNGData(png, 1) == nil && UIImageJPNGRepresentation(image, 1.5) == nil)
    }
}
