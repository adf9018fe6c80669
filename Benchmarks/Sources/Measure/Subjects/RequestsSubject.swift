import Foundation
import ImageLoading
import Tessera

/// Requests to a pipeline without caches whose loader and decoder have the answer at hand: how many, and for how many
/// pictures. What is left is what the pipeline itself does for a request.
final class RequestsSubject: Subject {
    private let requests: [ImageRequest]
    private let pictureCount: Int
    private let loader = StubLoader()
    private let pipeline: ImagePipeline

    init(_ arguments: [String]) throws {
        let count = try Int(arguments.number(0))
        let pictures = try Int(arguments.number(1))
        pictureCount = pictures
        requests = (0..<count).map { number in
            ImageRequest(url: URL(string: "https://example.com/pictures/\(number % pictures).jpg")!)
        }
        let decoder = try StubDecoder()
        pipeline = ImagePipeline { [loader] configuration in
            configuration.dataLoader = loader
            configuration.dataFetching.rateLimiter = nil
            configuration.imageCache = nil
            configuration.makeImageDecoder = { _ in decoder }
        }
    }

    func prepare() { loader.hold() }

    func run() throws {
        // Nothing arrives before all are begun, so that those for one picture share one load.
        let tasks = requests.map { pipeline.imageTask(with: $0) }
        loader.release()
        try waiting { for task in tasks { _ = try await task.response } }
        guard loader.loadCount == pictureCount else {
            throw MeasureError("\(loader.loadCount) loads for \(pictureCount) pictures")
        }
    }

    func output() throws -> Output { throw MeasureError("requests have no output") }
}
