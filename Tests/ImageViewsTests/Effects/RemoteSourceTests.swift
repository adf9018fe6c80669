import ImageLoading
import ImageLoadingTestSupport
import ImageViews
import Raster
import TestSupport
import Testing

/// Pictures at URLs: those of the loader's, which are one pixel of the first byte's value.
@MainActor @Suite("Remote sources of effect views")
struct RemoteSourceTests {
    private let fixture = EffectFixture()

    @Test("An image is loaded, then processed")
    func isLoadedThenProcessed() async throws {
        let view = fixture.view(asynchronous: true)
        view.processedImage = try .plain(10)
        view.setImage(contentsOf: PipelineFixture.url("a"))
        #expect(view.shownRed == 10)
        let load = await fixture.loading.loader.nextLoad()
        #expect(view.image == nil)
        load.complete([90])
        await view.waitForPicture(90)
        #expect(view.transition?.from?.red == 10)
        #expect(view.image?.pixelValue == 90)
        #expect(view.processedImage?.size == PixelSize(width: 8, height: 8))
    }

    @Test("Without asynchronous processing, setting a URL waits for the image")
    func isWaitedForUnlessAsynchronous() throws {
        fixture.loading.loader.answer("http://test/a", with: [90])
        let view = fixture.view()
        view.setImage(contentsOf: PipelineFixture.url("a"))
        #expect(view.shownRed == 90)
        #expect(view.transition == nil)
        fixture.loading.loader.answer("http://test/b", with: .failure(ImageError(.inputOutput, "broken off")))
        view.setImage(contentsOf: PipelineFixture.url("b"))
        #expect(view.processedImage == nil)
        #expect(view.error?.code == .inputOutput)
        #expect(view.image == nil)
    }

    @Test("Cancelled work stops")
    func cancelledWorkStops() async throws {
        let view = fixture.view(asynchronous: true)
        view.setImage(contentsOf: PipelineFixture.url("a"))
        let first = await fixture.loading.loader.nextLoad()
        view.setImage(contentsOf: PipelineFixture.url("b"))
        await first.waitForEnd()
        #expect(first.isCancelled)
        let second = await fixture.loading.loader.nextLoad()
        view.processedImage = try .plain(10)
        await second.waitForEnd()
        #expect(second.isCancelled)
        #expect(view.shownRed == 10)
        var other: EffectImageView? = fixture.view(asynchronous: true)
        other?.setImage(contentsOf: PipelineFixture.url("c"))
        other?.updateIfNeeded()
        let third = await fixture.loading.loader.nextLoad()
        other = nil
        await third.waitForEnd()
        #expect(third.isCancelled)
    }

    /// The main actor is busy until the first picture has arrived; it is then too late for it.
    @Test("A result that arrives after the source has changed is dropped")
    func whatArrivesLateIsDropped() async throws {
        let view = fixture.view(asynchronous: true)
        view.setImage(contentsOf: PipelineFixture.url("a"))
        view.updateIfNeeded()
        let other = fixture.loading.pipeline.imageTask(with: PipelineFixture.url("a"))
        await fixture.loading.loader.nextLoad().complete([90])
        while other.currentResult == nil {}
        view.setImage(contentsOf: PipelineFixture.url("b"))
        let shown = EventLog<Int?>()
        let watcher = Task { for await image in view.processedImages { shown.append(image?.red) } }
        await fixture.loading.loader.nextLoad().complete([80])
        await view.waitForPicture(80)
        #expect(view.image?.pixelValue == 80)
        view.image = nil
        while shown.events.last != .some(nil) || shown.events.count < 2 { await Task.yield() }
        watcher.cancel()
        #expect(!shown.events.contains(90))
        #expect(fixture.cache.count == 1)
    }

    @Test("Effects changed during the load are applied")
    func effectsThatChangeMeanwhileAreApplied() async throws {
        let view = fixture.view(asynchronous: true)
        view.setImage(contentsOf: PipelineFixture.url("a"))
        view.updateIfNeeded()
        let load = await fixture.loading.loader.nextLoad()
        view.size = ViewSize(width: 5, height: 5)
        view.updateIfNeeded()
        #expect(!load.isCancelled)
        load.complete([90])
        await view.waitForPicture(90)
        #expect(view.processedImage?.size.width == 5)
        #expect(fixture.loading.loader.loadCount == 1)
        #expect(fixture.cache.count == 1)
    }

    @Test("Loading starts before the view has a size")
    func loadsBeforeItHasASize() async throws {
        let view = fixture.view(asynchronous: true)
        view.size = .zero
        view.setImage(contentsOf: PipelineFixture.url("a"))
        await fixture.loading.loader.nextLoad().complete([90])
        for await image in view.images where image != nil { break }
        #expect(view.processedImage == nil)
        view.size = ViewSize(width: 5, height: 5)
        await view.waitForPicture(90)
    }

    @Test("The same URL is loaded again only on refresh")
    func theSameURLIsLoadedAgainOnlyToRefreshIt() async throws {
        let url = PipelineFixture.url("a")
        let view = fixture.view(asynchronous: true)
        view.setImage(contentsOf: url)
        await fixture.loading.loader.nextLoad().complete([90])
        await view.waitForPicture(90)
        view.setImage(contentsOf: url)
        #expect(view.shownRed == 90)
        let second = fixture.view(asynchronous: true)
        second.setImage(contentsOf: url)
        #expect(second.shownRed == 90)
        #expect(second.image?.pixelValue == 90)
        #expect(second.transition == nil)
        #expect(fixture.loading.loader.loadCount == 1)
        view.setImage(contentsOf: url, refreshes: true)
        #expect(view.shownRed == 90, "the old one stays until the new one is there")
        await fixture.loading.loader.nextLoad().complete([80])
        await view.waitForPicture(80)
        #expect(view.image?.pixelValue == 80)
        second.image = nil
        second.setImage(contentsOf: url)
        #expect(second.shownRed == 80)
    }

    @Test("A failure stays an error until the image is requested again")
    func aFailureIsAnErrorUntilItIsAskedForAgain() async throws {
        let url = PipelineFixture.url("a")
        let view = fixture.view(asynchronous: true)
        view.setImage(contentsOf: url)
        view.updateIfNeeded()
        await fixture.loading.loader.nextLoad().complete([0])
        while view.error == nil { await Task.yield() }
        #expect(view.error?.code == .corrupt)
        view.setImage(contentsOf: url)
        #expect(view.error == nil)
        await fixture.loading.loader.nextLoad().complete([90])
        await view.waitForPicture(90)
    }

    /// Eight views, each of which is given another URL a thousand times; what arrives does so the wrong way round.
    @Test("Many changes of the source end with the right images")
    func aStormEndsWithTheRightPictures() async throws {
        let views = (0..<8).map { _ in fixture.view(asynchronous: true) }
        var last = Array(repeating: 0, count: views.count)
        var generator = SeededGenerator(4)
        for round in 0..<1000 {
            for (index, view) in views.enumerated() {
                last[index] = Int.random(in: 1..<256, using: &generator)
                view.setImage(contentsOf: PipelineFixture.url("\(last[index])"))
                if Int.random(in: 0..<4, using: &generator) == 0 { view.updateIfNeeded() }
            }
            if round % 100 == 0 { await Task.yield() }
        }
        for view in views { view.updateIfNeeded() }
        var open = Set(last)
        while !open.isEmpty {
            await Task.yield()
            for load in fixture.loading.loader.runningLoads.reversed() {
                guard let number = open.first(where: { load.url == "http://test/\($0)" }) else { continue }
                load.complete([UInt8(number)])
                open.remove(number)
            }
        }
        for (view, number) in zip(views, last) { await view.waitForPicture(number) }
        #expect(fixture.loading.loader.runningLoads.isEmpty)
    }
}
