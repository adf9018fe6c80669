#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import ImageLoading
import ImageLoadingTestSupport
import Raster
import TestSupport
import Testing

@Suite("Caches and policies of a pipeline")
struct CachePolicyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A pipeline with a disk cache, whose encoder writes the one pixel's value.
    private func makeFixture(
        storing items: Set<DataCacheItem> = [.originalImageData]
    ) -> (fixture: PipelineFixture, disk: DataCache) {
        let disk = DataCache(directory: folder.file("cache"))
        let fixture = PipelineFixture {
            $0.dataCache = disk
            $0.dataCacheOptions.storedItems = items
            $0.makeImageEncoder = { _ in PixelEncoder() }
        }
        return (fixture, disk)
    }

    private static func headers(maximumAge: Int = 0, tag: String = "\"1\"") -> HTTPHeaders {
        ["Cache-Control": "max-age=\(maximumAge)", "ETag": tag]
    }

    @Test("Images come from memory, then from disk, then from the server")
    func order() async throws {
        let (fixture, _) = makeFixture()
        let request = fixture.request("a")
        fixture.loader.answer("http://test/a", with: [5])
        var sources: [ImageResponse.Source] = []
        sources.append(try await fixture.pipeline.response(for: request).source)
        sources.append(try await fixture.pipeline.response(for: request).source)
        fixture.cache.removeAll()
        sources.append(try await fixture.pipeline.response(for: request).source)
        await fixture.pipeline.removeCachedResponses(for: request)
        sources.append(try await fixture.pipeline.response(for: request).source)
        #expect(sources == [.network, .memory, .diskOriginal, .network])
        #expect(fixture.loader.loadCount == 2)
    }

    @Test("Options keep a request from the caches")
    func options() async throws {
        let (fixture, disk) = makeFixture()
        fixture.loader.answer("http://test/a", with: [5])
        let key = DataCacheKey(group: "http://test/a")
        _ = try await fixture.pipeline.image(
            for: fixture.request("a", options: [.disableMemoryCache, .disableDiskCache]))
        #expect(fixture.pipeline.cachedResponse(for: fixture.request("a")) == nil)
        #expect(await disk.entry(for: key) == nil)
        _ = try await fixture.pipeline.image(for: fixture.request("a", options: .disableMemoryCacheWrites))
        #expect(fixture.pipeline.cachedResponse(for: fixture.request("a")) == nil)
        #expect(await disk.entry(for: key).map { Array($0.data) } == [5])
        let onDisk = fixture.request("a", options: [.disableMemoryCacheReads, .returnCacheDataDontLoad])
        #expect(try await fixture.pipeline.response(for: onDisk).source == .diskOriginal)
        let nowhere = fixture.request(
            "a", options: [.disableMemoryCacheReads, .disableDiskCacheReads, .returnCacheDataDontLoad])
        let error = await #expect(throws: ImagePipeline.Error.self) { try await fixture.pipeline.image(for: nowhere) }
        #expect(error?.stage == .cache)
        #expect(fixture.loader.loadCount == 2)
    }

    @Test(
        "The disk has originals, processed images, or both",
        arguments: [
            (Set<DataCacheItem>([.originalImageData]), ImageResponse.Source.diskOriginal, 1),
            ([.finalImage], .diskProcessed, 1),
            ([.originalImageData, .finalImage], .diskProcessed, 2),
            ([], .network, 0),
        ] as [(Set<DataCacheItem>, ImageResponse.Source, Int)])
    func items(_ items: Set<DataCacheItem>, _ source: ImageResponse.Source, _ count: Int) async throws {
        let (fixture, disk) = makeFixture(storing: items)
        fixture.loader.answer("http://test/a", with: [5])
        let counter = CountingProcessor.Counter()
        let request = fixture.request("a", processors: [CountingProcessor("p", adding: 10, counter: counter)])
        #expect(try await fixture.pipeline.image(for: request).pixelValue == 15)
        await fixture.pipeline.flush()
        fixture.cache.removeAll()
        let again = try await fixture.pipeline.response(for: request)
        #expect(again.image.pixelValue == 15)
        #expect(again.source == source)
        #expect(counter["p"] == (source == .diskProcessed ? 1 : 2))
        await fixture.pipeline.flush()
        #expect(await disk.statistics().all.entryCount == count)
    }

    @Test("A damaged processed image on disk is made again")
    func damaged() async throws {
        let (fixture, disk) = makeFixture(storing: [.finalImage])
        fixture.loader.answer("http://test/a", with: [5])
        let request = fixture.request("a", processors: [CountingProcessor("p", adding: 251, counter: .init())])
        // Its one pixel is 0, which the decoder refuses.
        #expect(try await fixture.pipeline.image(for: request).pixelValue == 0)
        await fixture.pipeline.flush()
        fixture.cache.removeAll()
        #expect(try await fixture.pipeline.response(for: request).source == .network)
        _ = disk
    }

    @Test("A processed image on disk is the start for further processors")
    func intermediateOnDisk() async throws {
        let (fixture, _) = makeFixture(storing: [.finalImage])
        fixture.loader.answer("http://test/a", with: [5])
        let counter = CountingProcessor.Counter()
        let processors = [("p", 10), ("q", 20), ("r", 40)].map { CountingProcessor($0, adding: $1, counter: counter) }
        let request = fixture.request("a", processors: Array(processors.prefix(2)))
        #expect(try await fixture.pipeline.image(for: request).pixelValue == 35)
        await fixture.pipeline.flush()
        fixture.cache.removeAll()
        let more = try await fixture.pipeline.response(for: fixture.request("a", processors: processors))
        #expect(more.image.pixelValue == 75)
        #expect(more.source == .diskProcessed)
        #expect(["p", "q", "r"].map { counter[$0] } == [1, 1, 1])
        #expect(fixture.loader.loadCount == 1)
    }

    @Test("Only stale images are revalidated")
    func fresh() async throws {
        let (fixture, _) = makeFixture()
        fixture.loader.answer("http://test/a", with: [5], headers: Self.headers(maximumAge: 3600))
        var request = fixture.request("a")
        request.cachePolicy = .revalidate
        #expect(try await fixture.pipeline.response(for: request).source == .network)
        #expect(try await fixture.pipeline.response(for: request).source == .memory)
        fixture.cache.removeAll()
        #expect(try await fixture.pipeline.response(for: request).source == .diskOriginal)
        #expect(fixture.loader.loadCount == 1)
    }

    @Test("An unchanged image isn't decoded again")
    func notModified() async throws {
        let (fixture, disk) = makeFixture()
        fixture.loader.answer(
            "http://test/a", with: ScriptedAnswer(headers: Self.headers(), pieces: [Data([5])]),
            ScriptedAnswer(status: 304, headers: Self.headers()),
            ScriptedAnswer(status: 304, headers: Self.headers(maximumAge: 3600)))
        var request = fixture.request("a")
        request.cachePolicy = .revalidate
        _ = try await fixture.pipeline.image(for: request)
        // In memory: nothing is decoded. From disk: once.
        #expect(try await fixture.pipeline.response(for: request).source == .revalidated)
        #expect(fixture.decoder.decodeCount == 1)
        #expect(fixture.loader.loads[1].request.headers["If-None-Match"] == "\"1\"")
        fixture.cache.removeAll()
        #expect(try await fixture.pipeline.response(for: request).source == .revalidated)
        #expect(fixture.decoder.decodeCount == 2)
        // The last answer made it fresh again, in memory and on disk.
        #expect(try await fixture.pipeline.response(for: request).source == .memory)
        #expect(await disk.metadata(for: DataCacheKey(group: "http://test/a"))?.freshness.lifetime == 3600)
        #expect(fixture.loader.loadCount == 3)
    }

    @Test("The server is asked once, whatever the number of processors")
    func askedOnce() async throws {
        let (fixture, _) = makeFixture()
        fixture.loader.answer(
            "http://test/a", with: ScriptedAnswer(headers: Self.headers(), pieces: [Data([5])]),
            ScriptedAnswer(status: 304, headers: Self.headers()))
        let processors = ["p", "q"].map { CountingProcessor($0, adding: 1, counter: .init()) }
        var request = fixture.request("a", processors: processors)
        request.cachePolicy = .revalidate
        #expect(try await fixture.pipeline.image(for: request).pixelValue == 7)
        fixture.cache.removeAll()
        let again = try await fixture.pipeline.response(for: request)
        #expect(again.image.pixelValue == 7)
        #expect(again.source == .revalidated)
        #expect(fixture.loader.loadCount == 2)
    }

    @Test("A changed image replaces the old one and its processed forms")
    func modified() async throws {
        let (fixture, disk) = makeFixture(storing: [.originalImageData, .finalImage])
        fixture.loader.answer(
            "http://test/a", with: ScriptedAnswer(headers: Self.headers(), pieces: [Data([5])]),
            ScriptedAnswer(headers: Self.headers(maximumAge: 3600, tag: "\"2\""), pieces: [Data([6])]))
        let processor = CountingProcessor("p", adding: 10, counter: .init())
        let plain = fixture.request("a")
        let processed = fixture.request("a", processors: [processor])
        #expect(try await fixture.pipeline.image(for: processed).pixelValue == 15)
        #expect(try await fixture.pipeline.image(for: plain).pixelValue == 5)
        await fixture.pipeline.flush()
        var request = plain
        request.cachePolicy = .revalidate
        let changed = try await fixture.pipeline.response(for: request)
        #expect(changed.image.pixelValue == 6)
        #expect(changed.source == .network)
        // Nothing old is left anywhere.
        #expect(try await fixture.pipeline.response(for: processed).image.pixelValue == 16)
        #expect(try await fixture.pipeline.response(for: plain).image.pixelValue == 6)
        await fixture.pipeline.flush()
        #expect(await disk.entry(for: DataCacheKey(group: "http://test/a")).map { Array($0.data) } == [6])
        #expect(fixture.loader.loadCount == 2)
    }

    @Test("A stale image is served first and revalidated afterwards")
    func stale() async throws {
        let (fixture, _) = makeFixture()
        fixture.loader.answer(
            "http://test/a", with: ScriptedAnswer(headers: Self.headers(), pieces: [Data([5])]),
            ScriptedAnswer(headers: Self.headers(maximumAge: 3600, tag: "\"2\""), pieces: [Data([6])]))
        var request = fixture.request("a")
        request.cachePolicy = .staleWhileRevalidate
        #expect(try await fixture.pipeline.image(for: fixture.request("a")).pixelValue == 5)
        let old = try await fixture.pipeline.response(for: request)
        #expect(old.image.pixelValue == 5)
        #expect(old.source == .memory)
        await fixture.pipeline.flush()
        let new = try await fixture.pipeline.response(for: request)
        #expect(new.image.pixelValue == 6)
        #expect(new.source == .memory)
        #expect(fixture.loader.loadCount == 2)
    }

    @Test("A reload asks only the server, without conditions")
    func reload() async throws {
        let (fixture, _) = makeFixture()
        fixture.loader.answer(
            "http://test/a", with: ScriptedAnswer(headers: Self.headers(maximumAge: 3600), pieces: [Data([5])]),
            ScriptedAnswer(headers: Self.headers(maximumAge: 3600), pieces: [Data([6])]))
        var request = fixture.request("a")
        _ = try await fixture.pipeline.image(for: request)
        request.cachePolicy = .reload
        #expect(try await fixture.pipeline.image(for: request).pixelValue == 6)
        #expect(fixture.loader.loads[1].request.headers["If-None-Match"] == nil)
        #expect(try await fixture.pipeline.image(for: fixture.request("a")).pixelValue == 6)
        fixture.cache.removeAll()
        #expect(try await fixture.pipeline.image(for: fixture.request("a")).pixelValue == 6)
        #expect(fixture.loader.loadCount == 2)
    }

    @Test("Cache-Control: no-store is observed")
    func noStore() async throws {
        let (fixture, disk) = makeFixture()
        fixture.loader.answer("http://test/a", with: [5], headers: ["Cache-Control": "no-store"])
        _ = try await fixture.pipeline.image(for: fixture.request("a"))
        #expect(await disk.entry(for: DataCacheKey(group: "http://test/a")) == nil)
    }

    @Test("URLs that differ only in ignored parts share an image")
    func normalised() async throws {
        let cache = ImageCache(memoryPressure: nil)
        let fixture = PipelineFixture {
            $0.imageCache = cache
            $0.makeImageID = ImagePipeline.Configuration.imageID(withoutQueryItems: ["signature", "expires"])
        }
        fixture.loader.answer("http://test/a?size=2&signature=x", with: [5])
        fixture.loader.answer("http://test/a?size=3&signature=x", with: [6])
        #expect(try await fixture.pipeline.image(for: fixture.request("a?size=2&signature=x")).pixelValue == 5)
        #expect(fixture.pipeline.cachedResponse(for: fixture.request("a?signature=y&size=2&expires=1")) != nil)
        #expect(try await fixture.pipeline.image(for: fixture.request("a?size=3&signature=x")).pixelValue == 6)
        #expect(fixture.loader.loadCount == 2)
    }

    @Test("Bytes are loaded and kept without being decoded")
    func data() async throws {
        let (fixture, disk) = makeFixture()
        fixture.loader.answer("http://test/a", with: [0, 1])
        #expect(try await Array(fixture.pipeline.data(for: fixture.request("a")).data) == [0, 1])
        #expect(fixture.decoder.decodeCount == 0)
        #expect(await disk.entry(for: DataCacheKey(group: "http://test/a")).map { Array($0.data) } == [0, 1])
        #expect(try await Array(fixture.pipeline.data(for: fixture.request("a")).data) == [0, 1])
        #expect(fixture.loader.loadCount == 1)
    }

    @Test("Bytes read as they arrive are stored too, but not those of a broken stream")
    func bytes() async throws {
        let (fixture, disk) = makeFixture()
        fixture.loader.answer(
            "http://test/a", with: ScriptedAnswer(pieces: [Data([1]), Data([2, 3])]))
        fixture.loader.answer(
            "http://test/broken",
            with: ScriptedAnswer(pieces: [Data([1])], error: ImageError(.inputOutput, "broken off")))
        #expect(try await CoalescingTests.gather(fixture.pipeline.bytes(for: fixture.request("a"))) == [1, 2, 3])
        await fixture.pipeline.flush()
        #expect(try await CoalescingTests.gather(fixture.pipeline.bytes(for: fixture.request("a"))) == [1, 2, 3])
        #expect(fixture.loader.loadCount == 1)
        await #expect(throws: (any Error).self) {
            _ = try await CoalescingTests.gather(fixture.pipeline.bytes(for: fixture.request("broken")))
        }
        #expect(await disk.entry(for: DataCacheKey(group: "http://test/broken")) == nil)
    }

    private struct PixelEncoder: ImageEncoding {
        func encode(image: Image) throws -> Data { Data([image.pixelValue ?? 0]) }
    }
}
