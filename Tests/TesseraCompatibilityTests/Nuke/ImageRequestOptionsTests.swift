import Foundation
import TesseraCompatibility
import Testing

@Suite("Options of Nuke 9's requests")
struct ImageRequestOptionsTests {
    private let url = URL(string: "https://example.com/a?token=1")!

    @Test("They become the request's name, restrictions and user info")
    func request() {
        let options = ImageRequestOptions(
            memoryCacheOptions: .init(isReadAllowed: false), filteredURL: "https://example.com/a",
            userInfo: ["width": 300])
        let request = ImageRequest(url: url, priority: .high, options: options)
        #expect(request.imageID == "https://example.com/a" && request.options == .disableMemoryCacheReads)
        #expect(request.userInfo["width"] as? Int == 300 && request.priority == .high)
    }

    @Test("By default, they change nothing")
    func defaults() {
        let request = ImageRequest(url: url, options: ImageRequestOptions())
        #expect(request.imageID == nil && request.options == [] && request.userInfo.isEmpty)
    }

    @Test(
        "A queue's operation count is its width",
        arguments: [(3, 3), (0, 1), (-1, Int.max)])
    func operationCount(count: Int, width: Int) {
        var queue = ImagePipeline.Queue(width: 2)
        queue.maxConcurrentOperationCount = count
        #expect(queue.width == width && queue.maxConcurrentOperationCount == width)
    }
}
