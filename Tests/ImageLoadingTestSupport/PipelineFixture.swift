#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif
package import ImageLoading

/// A pipeline whose loader is scripted, whose pictures are single pixels, and whose memory is its own.
package struct PipelineFixture: Sendable {
    package let loader = ScriptedDataLoader()
    package let decoder: CountingDecoder
    package let cache = ImageCache(memoryPressure: nil)
    package let pipeline: ImagePipeline

    package init(makesPreviews: Bool = false, _ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }) {
        let decoder = CountingDecoder(makesPreviews: makesPreviews)
        self.decoder = decoder
        var configuration = ImagePipeline.Configuration()
        configuration.dataLoader = loader
        configuration.dataFetching = DataFetching(retry: .never, rateLimiter: nil)
        configuration.imageCache = cache
        configuration.makeImageDecoder = { _ in decoder }
        configure(&configuration)
        pipeline = ImagePipeline(configuration: configuration)
    }

    /// A request for `http://test/NAME`.
    package func request(
        _ name: String, processors: [any ImageProcessing] = [], priority: ImageRequest.Priority = .normal,
        options: ImageRequest.Options = []
    ) -> ImageRequest {
        ImageRequest(url: Self.url(name), processors: processors, priority: priority, options: options)
    }

    package static func url(_ name: String) -> URL { URL(string: "http://test/\(name)")! }

    /// Returns when so many jobs wait and work at `stage`.
    package func waitUntil(_ stage: ImagePipeline.Stage, waiting: Int, running: Int) async {
        while pipeline.jobCounts(at: stage) != (waiting, running) { await Task.yield() }
    }
}
