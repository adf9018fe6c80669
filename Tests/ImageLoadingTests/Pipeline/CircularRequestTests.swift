#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import ImageLoading
import ImageLoadingTestSupport
import Raster
import Synchronization
import Testing

/// Requests that wait for themselves, which would never end.
@Suite("Circular requests", .timeLimit(.minutes(5)))
struct CircularRequestTests {
    /// A pipeline that closures find which are made before it.
    private final class Home: Sendable {
        private let value = Mutex<ImagePipeline?>(nil)
        var pipeline: ImagePipeline { value.withLock { $0! } }
        func set(_ pipeline: ImagePipeline) { value.withLock { $0 = pipeline } }
    }

    private func isCircular(_ error: (any Error)?) -> Bool {
        if case .circularRequest? = error as? ImagePipeline.Error { true } else { false }
    }

    private func makeFixture(
        sharing: Bool = true, _ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) -> (PipelineFixture, Home) {
        let home = Home()
        let fixture = PipelineFixture {
            $0.isTaskCoalescingEnabled = sharing
            configure(&$0)
        }
        home.set(fixture.pipeline)
        return (fixture, home)
    }

    enum Way: CaseIterable { case image, data, bytes, processed }

    @Test("A data source that waits for its own image fails", arguments: Way.allCases, [true, false])
    func dataSource(way: Way, sharing: Bool) async throws {
        let (fixture, home) = makeFixture(sharing: sharing)
        let processor = CountingProcessor("p", adding: 1, counter: .init())
        @Sendable func request(_ processors: [any ImageProcessing] = []) -> ImageRequest {
            ImageRequest(id: "self", processors: processors) {
                switch way {
                case .image: _ = try await home.pipeline.image(for: request())
                case .data: return try await home.pipeline.data(for: request()).data
                case .bytes: for try await _ in try await home.pipeline.bytes(for: request()) {}
                case .processed: _ = try await home.pipeline.image(for: request([processor]))
                }
                return Data([1])
            }
        }
        let error = await #expect(throws: ImagePipeline.Error.self) {
            try await fixture.pipeline.image(for: request([processor]))
        }
        #expect(isCircular(error), "\(String(describing: error))")
        #expect(error?.description.contains("waits for itself") == true)
        while fixture.pipeline.jobCount > 0 { await Task.yield() }
    }

    @Test("Two data sources that wait for each other fail, in any order", arguments: [true, false])
    func eachOther(startsBoth: Bool) async throws {
        let (fixture, home) = makeFixture()
        @Sendable func request(_ id: String, _ other: String) -> ImageRequest {
            ImageRequest(id: id) { try await home.pipeline.data(for: request(other, id)).data }
        }
        let first = fixture.pipeline.imageTask(with: request("a", "b"))
        let second = startsBoth ? fixture.pipeline.imageTask(with: request("b", "a")) : nil
        for task in [first, second].compactMap({ $0 }) {
            let error = await #expect(throws: ImagePipeline.Error.self) { try await task.response }
            #expect(isCircular(error), "\(String(describing: error))")
        }
    }

    @Test("A decoder or a processor that requests its own image fails")
    func decoderAndProcessor() async throws {
        let home = Home()
        let results = Mutex<[Result<ImageResponse, ImagePipeline.Error>?]>([])
        let request = ImageRequest(url: PipelineFixture.url("a"))
        @Sendable func ask(_ processors: [any ImageProcessing] = []) {
            var request = request
            request.processors = processors
            let task = home.pipeline.imageTask(with: request)
            results.withLock { $0.append(task.currentResult) }
            task.cancel()
        }
        let fixture = PipelineFixture {
            let makeDecoder = $0.makeImageDecoder
            $0.makeImageDecoder = {
                ask()
                return makeDecoder($0)
            }
        }
        home.set(fixture.pipeline)
        fixture.loader.answer("http://test/a", with: [5])
        let inner = ImageProcessors.Anonymous(id: "asks") { $0 }
        let outer = ImageProcessors.Anonymous(id: "asks") { image in
            ask([inner])
            return image
        }
        var processed = request
        processed.processors = [outer]
        #expect(try await fixture.pipeline.image(for: processed).pixelValue == 5)
        let all = results.withLock { $0 }
        #expect(all.count == 2)
        for result in all {
            guard case .failure(let error)? = result else {
                Issue.record("\(String(describing: result))")
                continue
            }
            #expect(isCircular(error))
        }
    }

    /// Tasks that are begun within a job's work.
    private final class Begun: Sendable {
        let all = Mutex<[ImageTask]>([])
    }

    /// An image made of `a`, which also asks for itself and doesn't wait for that.
    private static func made(_ home: Home, _ begun: Begun) -> ImageRequest {
        ImageRequest(id: "made") {
            await Task {
                let task = home.pipeline.imageTask(with: made(home, begun))
                begun.all.withLock { $0.append(task) }
            }.value
            let value = try await home.pipeline.image(for: PipelineFixture.url("a")).pixelValue ?? 0
            return Data([value + 1])
        }
    }

    @Test("An image made of another isn't circular, nor is one requested in a separate task")
    func harmless() async throws {
        let (fixture, home) = makeFixture()
        fixture.loader.answer("http://test/a", with: [5])
        let begun = Begun()
        #expect(try await fixture.pipeline.image(for: Self.made(home, begun)).pixelValue == 6)
        let tasks = begun.all.withLock { $0 }
        #expect(tasks.count == 1)
        for task in tasks { #expect(try await task.response.image.pixelValue == 6) }
    }
}
