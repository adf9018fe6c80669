import ImageLoading
import ImageLoadingTestSupport
import ImageViews
import Raster
import Testing

@MainActor @Suite("Previews in image views")
struct ProgressiveTests {
    @Test("Previews replace the placeholder, and the image replaces them")
    func previewsTakeThePlaceholdersPlaceAndThePictureTheirs() async throws {
        let fixture = PipelineFixture(makesPreviews: true) { $0.isProgressiveDecodingEnabled = true }
        let model = ImageViewModel(pipeline: fixture.pipeline)
        model.placeholder = try .pixel(1)
        model.show(fixture.request("a"))
        let load = await fixture.loader.nextLoad()
        load.respond(byteCount: 3)
        await load.deliver([6])
        await model.wait { if case .preview = $0 { true } else { false } }
        #expect(model.image?.pixelValue == 6)
        #expect(model.container?.isPreview == true)
        #expect(model.isLoading)
        #expect(model.transition?.from?.pixelValue == 1)
        await load.deliver([5])
        await model.wait { if case .preview(let container) = $0 { container.image.pixelValue == 5 } else { false } }
        #expect(model.transition == nil, "a better picture comes in place")
        load.send([4])
        load.finish()
        await model.waitForPicture(6)
        #expect(model.transition == nil)
        #expect(model.container?.isPreview == false)
    }

    @Test("A preview in memory appears immediately")
    func aPreviewInMemoryIsThereAtOnce() async throws {
        let fixture = PipelineFixture(makesPreviews: true) {
            $0.isProgressiveDecodingEnabled = true
            $0.isStoringPreviewsInMemoryCache = true
        }
        let first = ImageViewModel(pipeline: fixture.pipeline)
        first.show(fixture.request("a"))
        let load = await fixture.loader.nextLoad()
        load.respond(byteCount: 3)
        await load.deliver([6])
        await first.wait { if case .preview = $0 { true } else { false } }
        let second = ImageViewModel(pipeline: fixture.pipeline)
        second.placeholder = try .pixel(1)
        second.show(fixture.request("a"))
        #expect(second.stateName == "preview")
        #expect(second.image?.pixelValue == 6)
        #expect(second.transition == nil)
        load.send([4, 4])
        load.finish()
        await second.waitForPicture(6)
        #expect(second.transition == nil)
    }
}
