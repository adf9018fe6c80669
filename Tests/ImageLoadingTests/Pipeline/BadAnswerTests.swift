#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import ImageFormats
import ImageLoading
import ImageLoadingTestSupport
import Raster
import TestSupport
import Testing

/// A server's success that isn't an image, such as the sign-in page of a hotel's network.
@Suite("Responses that are no image")
struct BadAnswerTests {
    private let folder: TemporaryFolder
    private let page = [UInt8]("<html>sign in</html>".utf8)
    private let key = DataCacheKey(group: "http://test/a")

    init() throws { folder = try TemporaryFolder() }

    /// A pipeline with a disk cache and no decoder for pages.
    private func makeFixture(
        storing items: Set<DataCacheItem> = [.originalImageData]
    ) -> (fixture: PipelineFixture, disk: DataCache) {
        let disk = DataCache(directory: folder.file("cache"))
        let fixture = PipelineFixture { configuration in
            configuration.dataCache = disk
            configuration.dataCacheOptions.storedItems = items
            let makeDecoder = configuration.makeImageDecoder
            configuration.makeImageDecoder = { $0.data.first == UInt8(ascii: "<") ? nil : makeDecoder($0) }
        }
        return (fixture, disk)
    }

    private func entry(_ bytes: [UInt8], tag: String? = nil) -> DataCacheEntry {
        let freshness = CacheFreshness(validatedAt: 0, lifetime: 0)
        return DataCacheEntry(data: Data(bytes), metadata: DataCacheMetadata(entityTag: tag, freshness: freshness))
    }

    enum Reader: CaseIterable { case image, data, bytes, prefetcher }

    private func read(_ fixture: PipelineFixture, by reader: Reader) async throws {
        let request = fixture.request("a")
        switch reader {
        case .image: _ = try await fixture.pipeline.image(for: request)
        case .data: _ = try await fixture.pipeline.data(for: request)
        case .bytes: for try await _ in try await fixture.pipeline.bytes(for: request) {}
        case .prefetcher:
            let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline, destination: .diskCache)
            await withCheckedContinuation { continuation in
                prefetcher.didComplete = { continuation.resume() }
                prefetcher.startPrefetching(with: [request])
            }
        }
        await fixture.pipeline.flush()
    }

    @Test("They aren't stored on disk, whatever the request", arguments: Reader.allCases)
    func notKept(reader: Reader) async throws {
        let (fixture, disk) = makeFixture()
        fixture.loader.answer(
            "http://test/a", with: ScriptedAnswer(pieces: [Data(page)]), ScriptedAnswer(pieces: [Data([5])]))
        try? await read(fixture, by: reader)
        #expect(await disk.entry(for: key) == nil)
        fixture.cache.removeAll()
        #expect(try await fixture.pipeline.image(for: fixture.request("a")).pixelValue == 5)
        #expect(await disk.entry(for: key).map { Array($0.data) } == [5])
    }

    @Test(
        "Bytes that fail to decode aren't stored either",
        arguments: [[.originalImageData], [.finalImage]] as [Set<DataCacheItem>])
    func corrupt(items: Set<DataCacheItem>) async throws {
        let (fixture, disk) = makeFixture(storing: items)
        fixture.loader.answer(
            "http://test/a", with: ScriptedAnswer(pieces: [Data([0])]), ScriptedAnswer(pieces: [Data([5])]))
        await #expect(throws: ImagePipeline.Error.self) { try await read(fixture, by: .image) }
        #expect(await disk.entry(for: key) == nil)
        #expect(try await fixture.pipeline.image(for: fixture.request("a")).pixelValue == 5)
    }

    @Test("On disk already, they are removed and loaded again", arguments: [true, false], [true, false])
    func healed(isPage: Bool, isProcessed: Bool) async throws {
        let (fixture, disk) = makeFixture()
        await disk.store(entry(isPage ? page : [0]), for: key)
        fixture.loader.answer("http://test/a", with: [5])
        let processors = isProcessed ? [CountingProcessor("p", adding: 1, counter: .init())] : []
        let response = try await fixture.pipeline.response(for: fixture.request("a", processors: processors))
        #expect(response.image.pixelValue == (isProcessed ? 6 : 5))
        #expect(response.source == .network)
        #expect(await disk.entry(for: key).map { Array($0.data) } == [5])
        #expect(fixture.loader.loadCount == 1)
    }

    @Test("The server is asked only once more")
    func once() async throws {
        let (fixture, disk) = makeFixture()
        await disk.store(entry(page), for: key)
        fixture.loader.answer("http://test/a", with: page)
        await #expect(throws: ImagePipeline.Error.self) { try await read(fixture, by: .image) }
        #expect(fixture.loader.loadCount == 1)
        #expect(await disk.entry(for: key) == nil)
    }

    @Test("A request that may not load finds nothing")
    func withoutLoading() async throws {
        let (fixture, disk) = makeFixture()
        await disk.store(entry(page), for: key)
        let error = await #expect(throws: ImagePipeline.Error.self) {
            try await fixture.pipeline.image(for: fixture.request("a", options: .returnCacheDataDontLoad))
        }
        #expect(error?.stage == .cache)
        #expect(await disk.entry(for: key) == nil)
    }

    @Test("They don't replace the stored image", arguments: [true, false])
    func keepsTheGoodOne(isReload: Bool) async throws {
        let (fixture, disk) = makeFixture()
        fixture.loader.answer(
            "http://test/a",
            with: ScriptedAnswer(headers: ["ETag": "\"1\"", "Cache-Control": "max-age=0"], pieces: [Data([5])]),
            ScriptedAnswer(pieces: [Data(page)]))
        #expect(try await fixture.pipeline.image(for: fixture.request("a")).pixelValue == 5)
        var request = fixture.request("a")
        request.cachePolicy = isReload ? .reload : .revalidate
        await #expect(throws: ImagePipeline.Error.self) { try await fixture.pipeline.image(for: request) }
        #expect(fixture.loader.loadCount == 2)
        #expect(await disk.entry(for: key).map { Array($0.data) } == [5])
        #expect(fixture.pipeline.cachedResponse(for: fixture.request("a"))?.image.pixelValue == 5)
    }

    /// A pipeline with the real decoders.
    private func makePictures() -> (fixture: PipelineFixture, disk: DataCache) {
        let disk = DataCache(directory: folder.file("cache"))
        let fixture = PipelineFixture {
            $0.dataCache = disk
            $0.makeImageDecoder = { ImageDecoderRegistry.shared.decoder(for: $0) }
        }
        return (fixture, disk)
    }

    @Test("A truncated file on disk is loaded again when a processor decodes it", arguments: [true, false])
    func cutOff(isResized: Bool) async throws {
        let whole = [UInt8](try TestPicture.file(.jpeg, TestPicture.bitmap(400, 300)))
        let (fixture, disk) = makePictures()
        await disk.store(entry(Array(whole.prefix(whole.count / 2))), for: key)
        fixture.loader.answer("http://test/a", with: whole)
        let request = fixture.request("a", processors: isResized ? [.resize(width: 40)] : [])
        #expect(try await fixture.pipeline.response(for: request).source == .network)
        #expect(await disk.entry(for: key)?.data == Data(whole))
    }

    @Test("An image that a request's limits refuse stays on disk")
    func refusedByLimits() async throws {
        let whole = [UInt8](try TestPicture.file(.jpeg, TestPicture.bitmap(40, 30)))
        let (fixture, disk) = makePictures()
        await disk.store(entry(whole), for: key)
        var request = fixture.request("a")
        request.decoding.limits.maximumPixelCount = 100
        await #expect(throws: ImagePipeline.Error.self) { try await fixture.pipeline.image(for: request) }
        #expect(await disk.entry(for: key) != nil)
        #expect(try await fixture.pipeline.response(for: fixture.request("a")).source == .diskOriginal)
    }
}
