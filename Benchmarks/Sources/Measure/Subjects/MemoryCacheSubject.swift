import Foundation
import ImageLoading
import Tessera

/// Looking thumbnails up in a pipeline's memory cache by their requests, one after the other on one thread: how many it
/// holds, and how many times they are asked for.
final class MemoryCacheSubject: Subject {
    private let pipeline: ImagePipeline
    private let requests: [ImageRequest]
    private let lookupCount: Int

    init(_ arguments: [String]) throws {
        let count = try Int(arguments.number(0))
        lookupCount = try Int(arguments.number(1))
        let decoder = try StubDecoder()
        let pipeline = ImagePipeline {
            $0.dataLoader = StubLoader()
            $0.imageCache = ImageCache(memoryPressure: nil)
            $0.makeImageDecoder = { _ in decoder }
        }
        let requests = (0..<count).map { number in
            var request = ImageRequest(url: URL(string: "https://example.com/pictures/\(number).jpg")!)
            request.thumbnail = ImageRequest.ThumbnailOptions(maxPixelSize: 256)
            return request
        }
        try waiting { for request in requests { _ = try await pipeline.image(for: request) } }
        (self.pipeline, self.requests) = (pipeline, requests)
    }

    func prepare() {}

    func run() throws {
        var (hits, next) = (0, 0)
        for _ in 0..<lookupCount {
            if pipeline.cachedResponse(for: requests[next]) != nil { hits += 1 }
            next = next + 1 == requests.count ? 0 : next + 1
        }
        guard hits == lookupCount else { throw MeasureError("\(hits) hits of \(lookupCount)") }
    }

    func output() throws -> Output { throw MeasureError("hits have no output") }
}
