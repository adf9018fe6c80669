import ImageLoading
import ImageLoadingTestSupport
import ImageViews
import Raster
import Testing

@MainActor @Suite("Showing images")
struct ShowingTests {
    private let fixture = PipelineFixture()

    private func model(placeholder: UInt8? = nil) throws -> ImageViewModel {
        let model = ImageViewModel(pipeline: fixture.pipeline)
        if let placeholder { model.placeholder = try .pixel(placeholder) }
        return model
    }

    @Test("The placeholder is shown until the image is loaded")
    func showsThePlaceholderUntilThePictureIsThere() async throws {
        let model = try model(placeholder: 1)
        #expect(model.stateName == "empty")
        #expect(model.image == nil)
        model.show(fixture.request("a"))
        #expect(model.stateName == "placeholder")
        #expect(model.isLoading)
        #expect(model.image?.pixelValue == 1)
        #expect(model.transition == nil)
        await fixture.loader.nextLoad().complete([7])
        await model.waitForPicture(7)
        #expect(model.image?.pixelValue == 7)
        #expect(!model.isLoading)
        let transition = try #require(model.transition)
        #expect(transition.from?.pixelValue == 1)
        #expect(transition.duration == 0.25)
    }

    @Test("A placeholder set during the load is drawn")
    func aPlaceholderThatComesLaterIsDrawnAsWell() throws {
        let model = try model()
        model.show(fixture.request("a"))
        #expect(model.stateName == "loading")
        #expect(model.image == nil)
        model.placeholder = try .pixel(3)
        #expect(model.stateName == "placeholder")
        #expect(model.image?.pixelValue == 3)
    }

    @Test("An image in memory appears immediately")
    func aPictureInMemoryIsThereAtOnce() async throws {
        fixture.loader.answer("http://test/a", with: [7])
        _ = try await fixture.pipeline.image(for: fixture.request("a"))
        let model = try model(placeholder: 1)
        var changes = model.changes.makeAsyncIterator()
        _ = await changes.next()
        model.show(fixture.request("a"))
        #expect(model.stateName == "showing")
        #expect(model.image?.pixelValue == 7)
        #expect(model.transition == nil)
        #expect(!model.isLoading)
        guard case .showing = await changes.next() else { throw ImageError(.corrupt, "something came before") }
    }

    @Test("Without a transition, the image appears at once")
    func noTransitionWhereThatIsSaid() async throws {
        let model = try model(placeholder: 1)
        model.transitionDuration = 0
        model.show(fixture.request("a"))
        await fixture.loader.nextLoad().complete([7])
        await model.waitForPicture(7)
        #expect(model.transition == nil)
    }

    @Test("The progress of the bytes is reported")
    func tellsHowFarTheBytesAre() async throws {
        let model = try model()
        model.show(fixture.request("a"))
        let load = await fixture.loader.nextLoad()
        load.respond(byteCount: 4)
        await load.deliver([7, 7])
        while model.progress.completedByteCount < 2 { await Task.yield() }
        #expect(model.progress == ImageTask.Progress(completedByteCount: 2, totalByteCount: 4))
        load.send([7, 7])
        load.finish()
        await model.waitForPicture(7)
        model.reset()
        #expect(model.progress == ImageTask.Progress())
    }

    @Test("A new request removes the old image, or keeps it, as set")
    func anotherPictureTakesTheOldOneAwayOrLeavesIt() async throws {
        fixture.loader.answer("http://test/a", with: [7])
        for clears in [true, false] {
            let model = try model(placeholder: 1)
            model.clearsOnReuse = clears
            model.show(fixture.request("a"))
            await model.waitForPicture(7)
            model.show(fixture.request("b"))
            #expect(model.stateName == (clears ? "placeholder" : "loading"))
            #expect(model.image?.pixelValue == (clears ? 1 : 7))
            #expect((model.container != nil) == !clears)
            await fixture.loader.nextLoad("http://test/b").complete([9])
            await model.waitForPicture(9)
            #expect(model.transition?.from?.pixelValue == (clears ? 1 : 7))
            fixture.cache.removeAll()
        }
    }

    @Test("An image that is set directly appears immediately")
    func aPictureThatIsSetIsShownAtOnce() async throws {
        let model = try model(placeholder: 1)
        model.show(fixture.request("a"))
        let load = await fixture.loader.nextLoad()
        model.show(try Image.pixel(5))
        #expect(model.stateName == "showing")
        #expect(model.image?.pixelValue == 5)
        #expect(model.transition == nil)
        await load.waitForEnd()
        #expect(load.isCancelled)
        model.show(Image?.none)
        #expect(model.stateName == "empty")
        #expect(model.image == nil)
    }

    @Test("Reset removes everything")
    func resetLeavesNothing() async throws {
        let model = try model(placeholder: 1)
        model.show(fixture.request("a"))
        let load = await fixture.loader.nextLoad()
        model.reset()
        #expect(model.stateName == "empty")
        #expect(model.image == nil)
        #expect(model.request == nil)
        await load.waitForEnd()
        #expect(load.isCancelled)
        model.retry()
        #expect(model.stateName == "empty")
    }

    @Test("A deallocated model cancels its load")
    func endsItsLoadWhenItGoes() async throws {
        var model: ImageViewModel? = try model()
        model?.show(fixture.request("a"))
        let load = await fixture.loader.nextLoad()
        let changes = try #require(model).changes
        model = nil
        await load.waitForEnd()
        #expect(load.isCancelled)
        // Readers come to an end too.
        var count = 0
        for await _ in changes { count += 1 }
        #expect(count == 1)
    }
}
