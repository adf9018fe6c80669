import ImageLoading
import ImageLoadingTestSupport
import ImageViews
import Raster
import Testing

@MainActor @Suite("Failed loads in image views")
struct FailureTests {
    private let fixture = PipelineFixture(makesPreviews: true) { $0.isProgressiveDecodingEnabled = true }

    private func model() throws -> ImageViewModel {
        let model = ImageViewModel(pipeline: fixture.pipeline)
        model.placeholder = try .pixel(1)
        return model
    }

    private func waitForFailure(_ model: ImageViewModel) async {
        await model.wait { if case .failed = $0 { true } else { false } }
    }

    @Test("A failed load shows the failure image")
    func showsThatItFailed() async throws {
        let model = try model()
        model.failureImage = try .pixel(2)
        model.show(fixture.request("a"))
        await fixture.loader.nextLoad().fail(ImageError(.inputOutput, "broken off"))
        await waitForFailure(model)
        #expect(model.image?.pixelValue == 2)
        #expect(model.transition?.from?.pixelValue == 1)
        #expect(!model.isLoading)
        guard case .failed(.dataLoadingFailed(let error)) = model.state else {
            throw ImageError(.corrupt, "another failure")
        }
        #expect((error as? ImageError)?.code == .inputOutput)
    }

    @Test("Without a failure image, the placeholder stays")
    func withoutAPictureForItThePlaceholderStays() async throws {
        let model = try model()
        model.show(fixture.request("a"))
        await fixture.loader.nextLoad().fail(ImageError(.inputOutput, "broken off"))
        await waitForFailure(model)
        #expect(model.image?.pixelValue == 1)
        #expect(model.transition == nil)
    }

    @Test("The image of an earlier request is removed")
    func aPictureOfAnEarlierRequestDoesNotStay() async throws {
        let model = try model()
        model.clearsOnReuse = false
        model.show(try Image.pixel(9))
        model.show(fixture.request("a"))
        #expect(model.image?.pixelValue == 9)
        await fixture.loader.nextLoad().fail(ImageError(.inputOutput, "broken off"))
        await waitForFailure(model)
        #expect(model.image?.pixelValue == 1)
    }

    @Test("A failed load's preview stays")
    func itsPreviewStays() async throws {
        let model = try model()
        model.show(fixture.request("a"))
        let load = await fixture.loader.nextLoad()
        load.respond(byteCount: 9)
        await load.deliver([4])
        await model.wait { if case .preview = $0 { true } else { false } }
        load.fail(ImageError(.inputOutput, "broken off"))
        await waitForFailure(model)
        #expect(model.image?.pixelValue == 4)
        model.failureImage = try .pixel(2)
        #expect(model.image?.pixelValue == 2)
    }

    @Test("A failed image can be requested again")
    func canBeAskedForAgain() async throws {
        let model = try model()
        model.show(fixture.request("a"))
        await fixture.loader.nextLoad().fail(ImageError(.inputOutput, "broken off"))
        await waitForFailure(model)
        let generation = model.generation
        model.retry()
        #expect(model.stateName == "placeholder")
        #expect(model.generation == generation + 1)
        // Twice asks for nothing more.
        model.retry()
        #expect(model.generation == generation + 1)
        await fixture.loader.nextLoad().complete([7])
        await model.waitForPicture(7)
        model.retry()
        #expect(!model.isLoading)
        #expect(fixture.loader.loadCount == 2)
    }

    @Test("Cancelled work stops")
    func cancelledWorkStops() async throws {
        let model = try model()
        model.show(fixture.request("a"))
        let load = await fixture.loader.nextLoad()
        model.cancel()
        #expect(model.stateName == "empty")
        #expect(!model.isLoading)
        await load.waitForEnd()
        #expect(load.isCancelled)
        model.retry()
        await fixture.loader.nextLoad().complete([7])
        await model.waitForPicture(7)
        model.cancel()
        #expect(model.image?.pixelValue == 7)
    }

    @Test("Cancelling leaves the displayed image")
    func cancellingLeavesWhatIsShown() async throws {
        let model = try model()
        model.clearsOnReuse = false
        model.show(try Image.pixel(9))
        model.show(fixture.request("a"))
        _ = await fixture.loader.nextLoad()
        model.cancel()
        #expect(model.stateName == "showing")
        #expect(model.image?.pixelValue == 9)
        model.retry()
        let load = await fixture.loader.nextLoad()
        load.respond(byteCount: 9)
        await load.deliver([4])
        await model.wait { if case .preview = $0 { true } else { false } }
        model.cancel()
        #expect(model.stateName == "preview")
        #expect(model.image?.pixelValue == 4)
        await load.waitForEnd()
        #expect(load.isCancelled)
    }

    @Test("A load that an invalidated pipeline cancels has failed")
    func whatAClosedPipelineCancelsHasFailed() async throws {
        let model = try model()
        model.show(fixture.request("a"))
        fixture.pipeline.invalidate()
        await waitForFailure(model)
        model.show(fixture.request("b"))
        guard case .failed(.cancelled) = model.state else { throw ImageError(.corrupt, "not cancelled") }
    }
}
