import ImageLoading
import ImageLoadingTestSupport
import Raster
import Testing

/// What a task knows without waiting.
@Suite("The state of a new task")
struct TaskStateTests {
    @Test("A task for an image in memory has finished when it is created")
    func aPictureInMemoryHasEndedItsTask() async throws {
        let fixture = PipelineFixture()
        let task = fixture.pipeline.imageTask(with: fixture.request("a"))
        #expect(task.currentResult == nil)
        #expect(task.currentPreview == nil)
        await fixture.loader.nextLoad().complete([7])
        _ = try await task.response
        #expect(try task.currentResult?.get().image.pixelValue == 7)
        let second = fixture.pipeline.imageTask(with: fixture.request("a"))
        #expect(try second.currentResult?.get().source == .memory)
    }

    @Test("A preview in memory is known when the task is created")
    func aPreviewInMemoryIsKnownAtOnce() async throws {
        let fixture = PipelineFixture(makesPreviews: true) {
            $0.isProgressiveDecodingEnabled = true
            $0.isStoringPreviewsInMemoryCache = true
        }
        let task = fixture.pipeline.imageTask(with: fixture.request("a"))
        let load = await fixture.loader.nextLoad()
        load.respond(byteCount: 3)
        await load.deliver([6])
        for await preview in task.previews {
            #expect(task.currentPreview?.image.pixelValue == preview.image.pixelValue)
            break
        }
        let second = fixture.pipeline.imageTask(with: fixture.request("a"))
        #expect(second.currentPreview?.image.pixelValue == 6)
        #expect(second.currentResult == nil)
        task.cancel()
        second.cancel()
        guard case .failure(.cancelled) = task.currentResult else { throw ImageError(.corrupt, "not cancelled") }
    }
}
