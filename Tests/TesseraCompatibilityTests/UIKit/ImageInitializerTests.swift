import Foundation
import ImageLoadingTestSupport
import TesseraCompatibility
import TestSupport
import Testing

@Suite("UIImage's initialisers")
struct ImageInitializerTests {
    @Test("Data and files give an image, undecoded, or nil")
    func dataAndFiles() throws {
        let folder = try TemporaryFolder()
        let data = try TestPicture.file(.jpng, TestPicture.bitmap(8, 6, alpha: .straight))
        let path = try folder.write([UInt8](data), to: "image@2x.jpng")
        for image in [UIImage(data: data, scale: 2), UIImage(contentsOfFile: path)] {
            let image = try #require(image)
            #expect(image.size == PixelSize(width: 8, height: 6) && image.scale == 2 && image.hasAlpha)
            #expect(!image.isDecoded)
        }
        #expect(UIImage(data: data)?.scale == 1)
        #expect(UIImage(data: Data([1])) == nil && UIImage(contentsOfFile: folder.file("none.png")) == nil)
        #expect(NSImage(named: "no such image") == nil && NSImage(named: "../etc/passwd") == nil)
    }
}
