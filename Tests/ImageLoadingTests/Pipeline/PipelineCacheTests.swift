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

@Suite("A pipeline's caches by request")
struct PipelineCacheTests {
    private let folder: TemporaryFolder
    private let fixture: PipelineFixture
    private let disk: DataCache

    init() throws {
        folder = try TemporaryFolder()
        let disk = DataCache(directory: folder.file("cache"))
        fixture = PipelineFixture {
            $0.dataCache = disk
            $0.makeImageEncoder = { _ in PixelEncoder() }
        }
        self.disk = disk
    }

    private struct PixelEncoder: ImageEncoding {
        func encode(image: Image) throws -> Data {
            guard let value = image.pixelValue, value < 200 else { throw ImageError(.unsupported, "too bright") }
            return Data([value])
        }
    }

    private var cache: ImagePipeline.Cache { fixture.pipeline.cache }

    private func container(_ value: UInt8, isPreview: Bool = false) throws -> ImageContainer {
        ImageContainer(image: try .pixel(value), isPreview: isPreview)
    }

    private var requests: [ImageRequest] {
        let processor = CountingProcessor("p", adding: 1, counter: .init())
        var small = fixture.request("a")
        small.thumbnail = .init(maxPixelSize: 1)
        return [fixture.request("a"), fixture.request("a", processors: [processor]), small, fixture.request("b")]
    }

    @Test("An image stored for a request is found by that request only")
    func stored() async throws {
        for (index, request) in requests.enumerated() {
            await cache.storeCachedImage(try container(UInt8(index + 1)), for: request)
        }
        for caches in [.all, .memory, .disk] as [ImagePipeline.Cache.Caches] {
            for (index, request) in requests.enumerated() {
                let found = await cache.cachedImage(for: request, caches: caches)
                #expect(found?.image.pixelValue == UInt8(index + 1), "\(caches) \(index)")
                #expect(await cache.containsCachedImage(for: request, caches: caches))
            }
        }
        #expect(cache[requests[0]]?.image.pixelValue == 1)
        #expect(cache[PipelineFixture.url("a")]?.image.pixelValue == 1)
        #expect(await cache.cachedData(for: requests[1]) == Data([2]))
        // It is what the pipeline finds, too.
        #expect(try await fixture.pipeline.response(for: requests[3]).source == .memory)
        cache[requests[3]] = nil
        #expect(try await fixture.pipeline.response(for: requests[3]).source == .diskOriginal)
        #expect(fixture.loader.loadCount == 0)
    }

    @Test("A loaded image is found by its request")
    func loaded() async throws {
        fixture.loader.answer("http://test/a", with: [5])
        _ = try await fixture.pipeline.image(for: requests[0])
        await fixture.pipeline.flush()
        #expect(cache[requests[0]]?.image.pixelValue == 5)
        #expect(await cache.cachedData(for: requests[0]) == Data([5]))
        #expect(await cache.cachedImage(for: requests[0], caches: .disk)?.image.pixelValue == 5)
        #expect(await cache.cachedImage(for: requests[1]) == nil)
        #expect(await disk.entry(for: cache.makeDataCacheKey(for: requests[0])) != nil)
        #expect(fixture.cache[cache.makeImageCacheKey(for: requests[0])] != nil)
    }

    @Test("Removing takes one image, or all, out of the given caches")
    func removed() async throws {
        for request in requests { await cache.storeCachedImage(try container(7), for: request) }
        await cache.removeCachedImage(for: requests[0], caches: .memory)
        #expect(cache[requests[0]] == nil)
        #expect(await cache.containsCachedImage(for: requests[0]))
        await cache.removeCachedImage(for: requests[0])
        #expect(await !cache.containsCachedImage(for: requests[0]))
        #expect(await cache.containsCachedImage(for: requests[1], caches: .disk))
        await cache.removeCachedData(for: requests[1])
        #expect(await !cache.containsData(for: requests[1]))
        await cache.removeAll(caches: .disk)
        #expect(await disk.statistics().all.entryCount == 0)
        #expect(cache[requests[3]] != nil)
        await cache.removeAll()
        #expect(fixture.cache.statistics.count == 0)
    }

    @Test("A request's options keep it from a cache")
    func options() async throws {
        let plain = fixture.request("a")
        await cache.storeCachedImage(
            try container(1), for: fixture.request("a", options: [.disableMemoryCacheWrites, .disableDiskCacheWrites]))
        #expect(await !cache.containsCachedImage(for: plain))
        await cache.storeCachedImage(try container(1), for: plain)
        let blind = fixture.request("a", options: [.disableMemoryCacheReads, .disableDiskCacheReads])
        #expect(cache[blind] == nil)
        #expect(await cache.cachedImage(for: blind) == nil)
        #expect(await !cache.containsCachedImage(for: blind))
    }

    @Test("Previews, empty data and unencodable images aren't stored on disk, and damaged data is no image")
    func refused() async throws {
        let request = fixture.request("a")
        await cache.storeCachedImage(try container(1, isPreview: true), for: request)
        #expect(await !cache.containsCachedImage(for: request))
        await cache.storeCachedImage(try container(250), for: request)
        #expect(cache[request] != nil)
        #expect(await !cache.containsData(for: request))
        await cache.storeCachedData(Data(), for: request)
        #expect(await !cache.containsData(for: request))
        await cache.storeCachedData(Data([0]), for: request)
        #expect(await cache.containsData(for: request))
        #expect(await cache.cachedImage(for: request, caches: .disk) == nil)
    }

    @Test("Without caches nothing is found and nothing fails")
    func none() async throws {
        let pipeline = ImagePipeline { $0.imageCache = nil }
        let request = fixture.request("a")
        await pipeline.cache.storeCachedImage(try container(1), for: request)
        #expect(pipeline.cache[request] == nil)
        #expect(await !pipeline.cache.containsCachedImage(for: request))
        await pipeline.cache.removeAll()
    }
}
