import ImageLoading
import ImageLoadingTestSupport
import ImageViews
import Raster
import TestSupport
import Testing

@MainActor @Suite("Reused image views")
struct ReuseTests {
    /// The main actor is busy until the first picture has arrived; it is then too late for it.
    @Test("An image that arrives after the request has changed is dropped")
    func whatArrivesLateIsDropped() async throws {
        let fixture = PipelineFixture()
        let model = ImageViewModel(pipeline: fixture.pipeline)
        model.show(fixture.request("a"))
        let other = fixture.pipeline.imageTask(with: fixture.request("a"))
        await fixture.loader.nextLoad().complete([7])
        while other.currentResult == nil {}
        #expect(model.image == nil, "nothing is shown before the main actor has time")
        model.show(fixture.request("b"))
        var changes = model.changes.makeAsyncIterator()
        _ = await changes.next()
        await fixture.loader.nextLoad().complete([9])
        guard case .showing(let container) = await changes.next() else { throw ImageError(.corrupt, "not shown") }
        #expect(container.image.pixelValue == 9)
    }

    @Test("An image that others wait for isn't shown by a model that has moved on")
    func whatOthersWaitForIsNotShownByWhoMovedOn() async throws {
        let fixture = PipelineFixture()
        let (moved, stays) = (ImageViewModel(pipeline: fixture.pipeline), ImageViewModel(pipeline: fixture.pipeline))
        moved.show(fixture.request("a"))
        stays.show(fixture.request("a"))
        let load = await fixture.loader.nextLoad()
        moved.show(fixture.request("b"))
        load.complete([7])
        await stays.waitForPicture(7)
        #expect(moved.stateName == "loading")
        await fixture.loader.nextLoad().complete([9])
        await moved.waitForPicture(9)
        #expect(fixture.loader.loadCount == 2)
    }

    /// Twenty views, each of which is given another picture a thousand times.
    @Test("Many changes of the request end with the right images", arguments: [false, true])
    func aStormEndsWithTheRightPictures(isCached: Bool) async throws {
        let decoder = CountingDecoder()
        let pipeline = ImagePipeline {
            $0.dataLoader = YieldingDataLoader()
            $0.dataFetching = DataFetching(retry: .never, rateLimiter: nil)
            $0.imageCache = isCached ? ImageCache(memoryPressure: nil) : nil
            $0.makeImageDecoder = { _ in decoder }
        }
        let models = (0..<20).map { _ in ImageViewModel(pipeline: pipeline) }
        var last = Array(repeating: 0, count: models.count)
        var generator = SeededGenerator(isCached ? 1 : 2)
        for round in 0..<1000 {
            for (index, model) in models.enumerated() {
                var number = Int.random(in: 1..<256, using: &generator)
                // In between anything may fail, or be reset; what stays is whole.
                while round == 999, !YieldingDataLoader.isWhole(number) { number = number % 255 + 1 }
                last[index] = number
                model.show(ImageRequest(url: PipelineFixture.url("\(number)")))
                if round < 999, Int.random(in: 0..<16, using: &generator) == 0 { model.reset() }
            }
            if round % 7 == 0 { await Task.yield() }
        }
        for (model, number) in zip(models, last) {
            await model.wait { _ in !model.isLoading }
            #expect(model.stateName == "showing")
            #expect(model.image?.pixelValue == UInt8(number))
        }
        while pipeline.jobCount > 0 { await Task.yield() }
    }

    /// As before, but nothing arrives until all views have moved on, and then the wrong way round.
    @Test("Many changes while loads are held end with the right images")
    func aStormOfHeldPicturesEndsWithTheRightOnes() async throws {
        let fixture = PipelineFixture { $0.dataLoadingQueue = ImagePipeline.Queue(width: 64) }
        let models = (0..<8).map { _ in ImageViewModel(pipeline: fixture.pipeline) }
        var last = Array(repeating: 0, count: models.count)
        var generator = SeededGenerator(3)
        for round in 0..<1000 {
            for (index, model) in models.enumerated() {
                last[index] = Int.random(in: 1..<256, using: &generator)
                model.show(fixture.request("\(last[index])"))
            }
            if round % 100 == 0 { await Task.yield() }
        }
        let wanted = Set(last)
        for number in wanted.sorted(by: >) {
            while !fixture.loader.runningLoads.contains(where: { $0.url == "http://test/\(number)" }) {
                await Task.yield()
            }
            for load in fixture.loader.runningLoads where load.url == "http://test/\(number)" {
                load.complete([UInt8(number)])
            }
        }
        for (model, number) in zip(models, last) { await model.waitForPicture(UInt8(number)) }
        #expect(fixture.loader.runningLoads.isEmpty, "what nobody wants any more has stopped")
    }
}
