import ImageLoading
import ImageLoadingTestSupport
import Raster
import Synchronization
import Testing

@Suite("Previews in a pipeline")
struct PreviewTests {
    @Test("Each chunk that the decoder can show is a preview, and the image comes last")
    func previews() async throws {
        let fixture = PipelineFixture(makesPreviews: true) { $0.isProgressiveDecodingEnabled = true }
        let task = fixture.pipeline.imageTask(with: fixture.request("a"))
        let load = await fixture.loader.nextLoad()
        load.respond(byteCount: 3)
        var previews = task.previews.makeAsyncIterator()
        for byte: UInt8 in [1, 2, 3] {
            load.send([byte])
            let preview = try #require(await previews.next())
            #expect(preview.isPreview)
            #expect(preview.image.pixelValue == byte)
        }
        #expect(fixture.pipeline.cachedResponse(for: fixture.request("a")) == nil)
        load.finish()
        #expect(await previews.next() == nil)
        let response = try await task.response
        #expect(response.image.pixelValue == 1)
        #expect(!response.isPreview)
        #expect(fixture.decoder.decodeCount == 1)
    }

    @Test("Previews are off by default, and a request can turn them on")
    func perRequest() async throws {
        let fixture = PipelineFixture(makesPreviews: true)
        var request = fixture.request("a")
        let plain = fixture.pipeline.imageTask(with: request)
        let load = await fixture.loader.nextLoad()
        request.isProgressiveDecodingEnabled = true
        let progressive = fixture.pipeline.imageTask(with: request)
        var previews = progressive.previews.makeAsyncIterator()
        load.send([8])
        #expect(await previews.next()?.image.pixelValue == 8)
        load.finish()
        _ = try await (plain.response, progressive.response)
        var count = 0
        for await event in plain.events { if case .preview = event { count += 1 } }
        #expect(count == 0)
        #expect(fixture.loader.loadCount == 1)
    }

    @Test("Previews are processed like the image")
    func processed() async throws {
        let fixture = PipelineFixture(makesPreviews: true) { $0.isProgressiveDecodingEnabled = true }
        let processor = CountingProcessor("p", adding: 100, counter: .init())
        let task = fixture.pipeline.imageTask(with: fixture.request("a", processors: [processor]))
        let load = await fixture.loader.nextLoad()
        var previews = task.previews.makeAsyncIterator()
        load.send([1])
        #expect(await previews.next()?.image.pixelValue == 101)
        load.finish()
        #expect(try await task.response.image.pixelValue == 101)
    }

    @Test("Previews are cached only if the pipeline is set to, and the image replaces them")
    func kept() async throws {
        let fixture = PipelineFixture(makesPreviews: true) {
            $0.isProgressiveDecodingEnabled = true
            $0.isStoringPreviewsInMemoryCache = true
        }
        let task = fixture.pipeline.imageTask(with: fixture.request("a"))
        let load = await fixture.loader.nextLoad()
        var previews = task.previews.makeAsyncIterator()
        load.send([3])
        _ = await previews.next()
        #expect(fixture.pipeline.cachedResponse(for: fixture.request("a"))?.isPreview == true)
        // A preview in memory doesn't stop anybody from getting the picture.
        let other = fixture.pipeline.imageTask(with: fixture.request("a", options: .disableDiskCache))
        #expect(other.status == .running)
        load.send([4])
        load.finish()
        _ = try await task.response
        #expect(fixture.pipeline.cachedResponse(for: fixture.request("a"))?.isPreview == false)
        other.cancel()
    }

    /// A memory cache that calls back when it is given a preview.
    private final class WatchedCache: ImageCaching {
        private let base = ImageCache(memoryPressure: nil)
        let isGivenPreview = Mutex<(@Sendable () -> Void)?>(nil)

        subscript(key: ImageCacheKey) -> ImageContainer? {
            get { base[key] }
            set {
                if newValue?.isPreview == true { isGivenPreview.withLock { $0 }?() }
                base[key] = newValue
            }
        }
        func keys(in group: String) -> [ImageCacheKey] { base.keys(in: group) }
        func removeAll() { base.removeAll() }
    }

    @Test("A preview is cached before it is reported")
    func keptBeforeTold() async throws {
        let cache = WatchedCache()
        let fixture = PipelineFixture(makesPreviews: true) {
            $0.isProgressiveDecodingEnabled = true
            $0.isStoringPreviewsInMemoryCache = true
            $0.imageCache = cache
        }
        let task = fixture.pipeline.imageTask(with: fixture.request("a"))
        let wasTold = Mutex<[Bool]>([])
        cache.isGivenPreview.withLock { isGivenPreview in
            isGivenPreview = { wasTold.withLock { $0.append(task.currentPreview != nil) } }
        }
        let load = await fixture.loader.nextLoad()
        var previews = task.previews.makeAsyncIterator()
        load.send([3])
        _ = await previews.next()
        load.finish()
        _ = try await task.response
        #expect(wasTold.withLock { $0 } == [false])
    }

    @Test("A cached preview is processed before a byte arrives")
    func intermediate() async throws {
        let fixture = PipelineFixture(makesPreviews: true) {
            $0.isProgressiveDecodingEnabled = true
            $0.isStoringPreviewsInMemoryCache = true
        }
        let first = fixture.pipeline.imageTask(with: fixture.request("a"))
        let load = await fixture.loader.nextLoad()
        var previews = first.previews.makeAsyncIterator()
        load.send([3])
        _ = await previews.next()
        first.cancel()
        await load.waitForEnd()
        let processors = [("p", 100), ("q", 50)].map { CountingProcessor($0, adding: $1, counter: .init()) }
        let second = fixture.pipeline.imageTask(with: fixture.request("a", processors: processors))
        let other = await fixture.loader.nextLoad()
        var processed = second.previews.makeAsyncIterator()
        let preview = try #require(await processed.next())
        #expect(preview.image.pixelValue == 153)
        #expect(preview.isPreview)
        other.complete([7])
        #expect(try await second.response.image.pixelValue == 157)
    }

    @Test("A late subscriber gets the newest preview")
    func late() async throws {
        let fixture = PipelineFixture(makesPreviews: true) { $0.isProgressiveDecodingEnabled = true }
        let first = fixture.pipeline.imageTask(with: fixture.request("a"))
        let load = await fixture.loader.nextLoad()
        var previews = first.previews.makeAsyncIterator()
        load.respond(byteCount: 10)
        load.send([1])
        _ = await previews.next()
        load.send([2])
        _ = await previews.next()
        let second = fixture.pipeline.imageTask(with: fixture.request("a"))
        var late = second.previews.makeAsyncIterator()
        #expect(await late.next()?.image.pixelValue == 2)
        #expect(second.currentProgress == .init(completedByteCount: 2, totalByteCount: 10))
        load.finish()
    }

    @Test("A processor that fails for a preview may succeed for the image")
    func failing() async throws {
        let fixture = PipelineFixture(makesPreviews: true) { $0.isProgressiveDecodingEnabled = true }
        let task = fixture.pipeline.imageTask(with: fixture.request("a", processors: [OnlyFinal()]))
        let load = await fixture.loader.nextLoad()
        load.complete([5])
        #expect(try await task.response.image.pixelValue == 5)
    }

    private struct OnlyFinal: ImageProcessing {
        var identifier: String { "only final" }
        func process(_ image: Image) throws -> Image { image }
        func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
            guard context.isCompleted else { throw ImagePipeline.Error.dataIsEmpty }
            return container
        }
    }
}
