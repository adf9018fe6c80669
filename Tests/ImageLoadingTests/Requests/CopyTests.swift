import Foundation
import ImageFormats
import ImageLoading
import Raster
import Testing

@Suite("Copies of requests and containers")
struct CopyTests {
    @Test("Changing a request leaves its copy unchanged")
    func request() throws {
        let (url, other) = (try #require(URL(string: "data:,a")), try #require(URL(string: "data:,b")))
        var request = ImageRequest(url: url)
        let copy = request
        request.source = .url(other)
        request.processors = [.resize(width: 10)]
        request.priority = .high
        request.options = .disableMemoryCache
        request.cachePolicy = .reload
        request.thumbnail = ImageRequest.ThumbnailOptions(maxPixelSize: 5)
        request.scale = 2
        request.isProgressiveDecodingEnabled = true
        request.headers["Accept"] = "image/png"
        request.decoding.imageIndex = 1
        request.userInfo["name"] = 7
        request.imageID = "b"

        #expect(copy.url == url)
        #expect(copy.processors.isEmpty && copy.priority == .normal && copy.options.isEmpty)
        #expect(copy.cachePolicy == .useCache && copy.thumbnail == nil && copy.scale == 1)
        #expect(copy.isProgressiveDecodingEnabled == nil && copy.headers == HTTPHeaders())
        #expect(copy.decoding == DecodingOptions() && copy.userInfo.isEmpty && copy.imageID == nil)

        #expect(request.url == other)
        #expect(request.processors.map(\.identifier) == [ImageProcessors.Resize(width: 10).identifier])
        #expect(request.priority == .high && request.options == .disableMemoryCache && request.cachePolicy == .reload)
        #expect(request.thumbnail == ImageRequest.ThumbnailOptions(maxPixelSize: 5) && request.scale == 2)
        #expect(request.isProgressiveDecodingEnabled == true && request.headers["Accept"] == "image/png")
        #expect(request.decoding.imageIndex == 1 && request.userInfo["name"] as? Int == 7 && request.imageID == "b")
    }

    @Test("Changing a container leaves its copy unchanged")
    func container() throws {
        func image(_ width: Int) throws -> Image {
            let size = PixelSize(width: width, height: 1)
            return Image(try MutableBitmap(BitmapInfo(size: size, format: .rgba8, alpha: .premultiplied)).freeze())
        }
        var container = ImageContainer(image: try image(1), userInfo: ["name": 1])
        let copy = container
        container.image = try image(2)
        container.type = .png
        container.isPreview = true
        container.data = Data([1])
        container.header = ImageHeader(
            format: .png, storedSize: PixelSize(width: 2, height: 1), colorModel: .rgb)
        container.userInfo["name"] = 2

        #expect(copy.image.size.width == 1 && copy.type == nil && !copy.isPreview && copy.data == nil)
        #expect(copy.header == nil && copy.metadata == nil && copy.userInfo["name"] as? Int == 1)
        #expect(container.image.size.width == 2 && container.type == .png && container.isPreview)
        #expect(container.data == Data([1]) && container.header?.storedSize.width == 2)
        #expect(container.userInfo["name"] as? Int == 2)
    }
}
