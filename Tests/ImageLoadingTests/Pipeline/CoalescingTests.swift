import ImageLoading
import ImageLoadingTestSupport
import Testing

@Suite("Sharing work in a pipeline")
struct CoalescingTests {
    @Test("Tasks for one image share its load and its decode")
    func samePicture() async throws {
        let fixture = PipelineFixture()
        let tasks = (0..<5).map { _ in fixture.pipeline.imageTask(with: fixture.request("a")) }
        let load = await fixture.loader.nextLoad()
        load.complete([7])
        for (index, task) in tasks.enumerated() {
            let response = try await task.response
            #expect(response.image.pixelValue == 7)
            #expect(response.source == .network)
            #expect(response.isJoined == (index > 0))
        }
        #expect(fixture.loader.loadCount == 1)
        #expect(fixture.decoder.decodeCount == 1)
    }

    @Test("Different images share nothing")
    func differentPictures() async throws {
        let fixture = PipelineFixture()
        fixture.loader.answer("http://test/a", with: [1])
        fixture.loader.answer("http://test/b", with: [2])
        async let a = fixture.pipeline.image(for: fixture.request("a"))
        async let b = fixture.pipeline.image(for: fixture.request("b"))
        #expect(try await (a.pixelValue, b.pixelValue) == (1, 2))
        #expect(fixture.loader.loadCount == 2)
    }

    @Test("Common first processors run once")
    func sharedPrefix() async throws {
        let fixture = PipelineFixture()
        let counter = CountingProcessor.Counter()
        let one = CountingProcessor("one", adding: 1, counter: counter)
        let two = CountingProcessor("two", adding: 2, counter: counter)
        let four = CountingProcessor("four", adding: 4, counter: counter)
        let requests = [[], [one], [one, two], [one, two, four], [one, four]].map {
            fixture.request("a", processors: $0)
        }
        let tasks = requests.map { fixture.pipeline.imageTask(with: $0) }
        await fixture.loader.nextLoad().complete([10])
        var values: [UInt8?] = []
        for task in tasks { values.append(try await task.response.image.pixelValue) }
        #expect(values == [10, 11, 13, 17, 15])
        #expect(counter["one"] == 1)
        #expect(counter["two"] == 1)
        // After another processor it is another picture.
        #expect(counter["four"] == 2)
        #expect(fixture.decoder.decodeCount == 1)
        #expect(fixture.loader.loadCount == 1)
    }

    @Test("Requests for images and for bytes share a load")
    func dataAndPicture() async throws {
        let fixture = PipelineFixture()
        let task = fixture.pipeline.imageTask(with: fixture.request("a"))
        let load = await fixture.loader.nextLoad()
        async let data = fixture.pipeline.data(for: fixture.request("a"))
        async let bytes = Self.gather(fixture.pipeline.bytes(for: fixture.request("a")))
        load.respond(byteCount: 3)
        await load.deliver([5])
        await load.deliver([6, 7])
        load.finish()
        #expect(try await task.response.image.pixelValue == 5)
        #expect(try await Array(data.data) == [5, 6, 7])
        #expect(try await bytes == [5, 6, 7])
    }

    @Test("Without coalescing nothing is shared")
    func switchedOff() async throws {
        let fixture = PipelineFixture { $0.isTaskCoalescingEnabled = false }
        fixture.loader.answer("http://test/b", with: [3])
        let tasks = (0..<3).map { _ in fixture.pipeline.imageTask(with: fixture.request("a")) }
        var loads: [ScriptedLoad] = []
        for _ in tasks { loads.append(await fixture.loader.nextLoad("http://test/a")) }
        tasks[0].cancel()
        while loads.allSatisfy({ $0.isRunning }) { await Task.yield() }
        for load in loads { load.complete([7]) }
        for task in tasks.dropFirst() {
            let response = try await task.response
            #expect(response.image.pixelValue == 7)
            #expect(!response.isJoined)
        }
        #expect(fixture.loader.cancelledLoads.count == 1)
        #expect(fixture.decoder.decodeCount == 2)
        async let data = fixture.pipeline.data(for: fixture.request("b"))
        async let bytes = Self.gather(fixture.pipeline.bytes(for: fixture.request("b")))
        #expect(try await Array(data.data) == [3])
        #expect(try await bytes == [3])
        #expect(fixture.loader.loadCount("http://test/b") == 2)
        while fixture.pipeline.jobCount > 0 { await Task.yield() }
    }

    static func gather(_ chunks: DataChunks) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in chunks { bytes += chunk }
        return bytes
    }

    @Test(
        "Requests with different cache options share nothing",
        arguments: [
            ImageRequest.Options.disableMemoryCache, .disableDiskCache, .returnCacheDataDontLoad,
        ])
    func differentOptions(_ options: ImageRequest.Options) async throws {
        let fixture = PipelineFixture()
        let held = fixture.pipeline.imageTask(with: fixture.request("a"))
        _ = await fixture.loader.nextLoad()
        let other = fixture.pipeline.imageTask(with: fixture.request("a", options: options))
        if options == .returnCacheDataDontLoad {
            await #expect(throws: ImagePipeline.Error.self) { try await other.response }
        }
        held.cancel()
        other.cancel()
    }
}
