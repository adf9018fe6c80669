import Foundation
import ImageFormats
import ImageLoading
import ImageLoadingTestSupport
import Raster
import Testing

@Suite("The empty decoder")
struct EmptyDecoderTests {
    @Test("The bytes come with a transparent one-pixel image")
    func theBytesComeWithAPixelThatCannotBeSeen() throws {
        let data = Data("<svg/>".utf8)
        let container = try ImageDecoders.Empty(assetType: .svg).decode(data)
        #expect(container.data == data && container.type == .svg && !container.isPreview && container.header == nil)
        let bitmap = try container.image.bitmap()
        #expect(bitmap.size == PixelSize(width: 1, height: 1) && bitmap.pixel(0, 0) == RGBA8(0, 0, 0, 0))
    }

    @Test("Partial bytes come as previews when previews are on")
    func bytesSoFarArePreviewsWhereTheyAreWanted() throws {
        let png = try TestPicture.file(.png, TestPicture.bitmap(3, 3))
        #expect(ImageDecoders.Empty().decodePartiallyDownloadedData(png) == nil)
        let preview = try #require(ImageDecoders.Empty(isProgressive: true).decodePartiallyDownloadedData(png))
        #expect(preview.isPreview && preview.data == png && preview.type == .png)
        #expect(try ImageDecoders.Empty(isProgressive: true).decode(png).isPreview == false)
    }
}
