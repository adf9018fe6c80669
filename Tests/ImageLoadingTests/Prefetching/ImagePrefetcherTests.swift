import ImageLoading
import ImageLoadingTestSupport
import Testing

@Suite("Prefetching", .timeLimit(.minutes(15)))
struct ImagePrefetcherTests {
    private static func urls(_ names: String...) -> [String] { names.map { "http://test/\($0)" } }

    private static func requests(_ fixture: PipelineFixture, _ names: String...) -> [ImageRequest] {
        names.map { fixture.request($0) }
    }

    /// A prefetcher, and how often it has said that everything is there.
    private static func prefetcher(
        _ fixture: PipelineFixture, to destination: ImagePrefetcher.Destination = .memoryCache, width: Int = 2
    ) -> (ImagePrefetcher, AsyncStream<Void>.Iterator) {
        let prefetcher = ImagePrefetcher(
            pipeline: fixture.pipeline, destination: destination, maximumConcurrentRequestCount: width)
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        prefetcher.didComplete = { continuation.yield() }
        return (prefetcher, stream.makeAsyncIterator())
    }

    @Test("Images are loaded into the memory cache in order, a few at a time")
    func toMemory() async {
        let fixture = PipelineFixture()
        var (prefetcher, completions) = Self.prefetcher(fixture)
        prefetcher.startPrefetching(with: Self.requests(fixture, "a", "b", "c"))
        var loads = [await fixture.loader.nextLoad(), await fixture.loader.nextLoad()]
        #expect(Set(loads.map(\.url)) == Set(Self.urls("a", "b")))
        #expect(fixture.loader.loadCount == 2)
        loads[0].complete([1])
        loads.append(await fixture.loader.nextLoad())
        #expect(loads[2].url == Self.urls("c")[0])
        for load in loads[1...] { load.complete([1]) }
        await completions.next()
        #expect(fixture.loader.maximumRunningCount == 2)
        for name in ["a", "b", "c"] { #expect(fixture.pipeline.cachedResponse(for: fixture.request(name)) != nil) }
        // Nothing is left to do: said at once.
        prefetcher.startPrefetching(with: Self.requests(fixture, "a"))
        await completions.next()
        #expect(fixture.loader.loadCount == 3)
    }

    @Test("Prefetching to disk decodes nothing")
    func toDisk() async {
        let fixture = PipelineFixture()
        var (prefetcher, completions) = Self.prefetcher(fixture, to: .diskCache)
        prefetcher.startPrefetching(with: [PipelineFixture.url("a"), PipelineFixture.url("b")])
        for _ in 0..<2 { await fixture.loader.nextLoad().complete([1]) }
        await completions.next()
        #expect(fixture.decoder.decodeCount == 0)
        #expect(fixture.cache.statistics.count == 0)
    }

    @Test("Equal requests are loaded once", arguments: [ImagePrefetcher.Destination.memoryCache, .diskCache])
    func once(_ destination: ImagePrefetcher.Destination) async {
        let fixture = PipelineFixture()
        var (prefetcher, completions) = Self.prefetcher(fixture, to: destination, width: 4)
        prefetcher.startPrefetching(with: Self.requests(fixture, "a", "a"))
        let load = await fixture.loader.nextLoad()
        prefetcher.startPrefetching(with: Self.requests(fixture, "a", "b"))
        let other = await fixture.loader.nextLoad()
        load.complete([1])
        other.complete([1])
        await completions.next()
        #expect(fixture.loader.loadCount == 2)
    }

    @Test("Failures don't stop the others", arguments: [ImagePrefetcher.Destination.memoryCache, .diskCache])
    func failures(_ destination: ImagePrefetcher.Destination) async {
        struct Failure: Error {}
        let fixture = PipelineFixture()
        var (prefetcher, completions) = Self.prefetcher(fixture, to: destination, width: 1)
        prefetcher.startPrefetching(with: Self.requests(fixture, "a", "b", "c"))
        await fixture.loader.nextLoad().fail(Failure())
        await fixture.loader.nextLoad().complete([0])
        await fixture.loader.nextLoad().complete([])
        await completions.next()
        #expect(fixture.loader.loadCount == 3)
        #expect(fixture.cache.statistics.count == 0)
    }

    @Test("A stopped request is cancelled, and the next one starts")
    func stopping() async {
        let fixture = PipelineFixture()
        var (prefetcher, completions) = Self.prefetcher(fixture, width: 1)
        prefetcher.startPrefetching(with: Self.requests(fixture, "a", "b", "c"))
        let first = await fixture.loader.nextLoad()
        prefetcher.stopPrefetching(with: Self.requests(fixture, "a", "b", "unknown"))
        await first.waitForEnd()
        #expect(first.isCancelled)
        let second = await fixture.loader.nextLoad()
        #expect(second.url == Self.urls("c")[0])
        second.complete([1])
        await completions.next()
        // Once stopped, it can be asked for again.
        prefetcher.startPrefetching(with: [PipelineFixture.url("a")])
        await fixture.loader.nextLoad(Self.urls("a")[0]).complete([1])
        await completions.next()
        #expect(fixture.loader.loadCount == 3)
    }

    @Test("A load that others wait for continues", arguments: [ImagePrefetcher.Destination.memoryCache, .diskCache])
    func sharing(_ destination: ImagePrefetcher.Destination) async throws {
        let fixture = PipelineFixture()
        let (prefetcher, _) = Self.prefetcher(fixture, to: destination)
        prefetcher.startPrefetching(with: Self.requests(fixture, "a"))
        let load = await fixture.loader.nextLoad()
        let task = fixture.pipeline.imageTask(with: fixture.request("a"))
        _ = await load.deliver([1])
        prefetcher.stopPrefetching()
        #expect(!load.isCancelled)
        load.finish()
        _ = try await task.response
        #expect(fixture.loader.loadCount == 1)
    }

    @Test("Pausing starts nothing and ends nothing")
    func pausing() async {
        let fixture = PipelineFixture()
        var (prefetcher, completions) = Self.prefetcher(fixture, width: 1)
        prefetcher.startPrefetching(with: Self.requests(fixture, "a", "b"))
        let first = await fixture.loader.nextLoad()
        prefetcher.isPaused = true
        #expect(prefetcher.isPaused)
        first.complete([1])
        await first.waitForEnd()
        while fixture.pipeline.cachedResponse(for: fixture.request("a")) == nil { await Task.yield() }
        #expect(fixture.loader.loadCount == 1)
        prefetcher.isPaused = false
        await fixture.loader.nextLoad().complete([1])
        await completions.next()
        #expect(fixture.loader.loadCount == 2)
    }

    /// One place for loading, held; behind it a prefetched picture, and then one that is asked for.
    @Test(
        "Prefetching has a low priority until it is raised",
        arguments: [(.low, "visible"), (.veryHigh, "prefetched")] as [(ImageRequest.Priority, String)],
        [ImagePrefetcher.Destination.memoryCache, .diskCache])
    func priority(_ expected: (ImageRequest.Priority, String), _ destination: ImagePrefetcher.Destination) async throws
    {
        let fixture = PipelineFixture { $0.dataLoadingQueue = .init(width: 1) }
        let (prefetcher, _) = Self.prefetcher(fixture, to: destination)
        let held = fixture.pipeline.imageTask(with: fixture.request("held"))
        let first = await fixture.loader.nextLoad()
        prefetcher.startPrefetching(with: [fixture.request("prefetched", priority: .veryHigh)])
        await fixture.waitUntil(.data, waiting: 1, running: 1)
        let visible = fixture.pipeline.imageTask(with: fixture.request("visible"))
        await fixture.waitUntil(.data, waiting: 2, running: 1)
        #expect(prefetcher.priority == .low)
        prefetcher.priority = expected.0
        first.complete([1])
        let second = await fixture.loader.nextLoad()
        #expect(second.url == "http://test/\(expected.1)")
        second.complete([1])
        await fixture.loader.nextLoad().complete([1])
        _ = try await held.response
        _ = try await visible.response
        prefetcher.stopPrefetching()
    }

    @Test(
        "A deallocated prefetcher cancels its requests",
        arguments: [ImagePrefetcher.Destination.memoryCache, .diskCache])
    func going(_ destination: ImagePrefetcher.Destination) async {
        let fixture = PipelineFixture()
        let load: ScriptedLoad
        do {
            let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, destination: destination)
            prefetcher.startPrefetching(with: Self.requests(fixture, "a"))
            load = await fixture.loader.nextLoad()
            withExtendedLifetime(prefetcher) {}
        }
        await load.waitForEnd()
        #expect(load.isCancelled)
    }

    @Test("An invalidated pipeline loads nothing", arguments: [ImagePrefetcher.Destination.memoryCache, .diskCache])
    func invalidated(_ destination: ImagePrefetcher.Destination) async {
        let fixture = PipelineFixture()
        fixture.pipeline.invalidate()
        var (prefetcher, completions) = Self.prefetcher(fixture, to: destination)
        prefetcher.startPrefetching(with: Self.requests(fixture, "a", "b", "c"))
        await completions.next()
        #expect(fixture.loader.loadCount == 0)
    }
}
