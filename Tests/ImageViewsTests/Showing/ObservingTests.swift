import ImageLoading
import ImageLoadingTestSupport
import ImageViews
import Observation
import Raster
import Testing

@MainActor @Suite("Observing image views")
struct ObservingTests {
    private let fixture = PipelineFixture()

    @Test("The sequence of changes begins with the current state")
    func changesBeginWithTheStateAndGoOn() async throws {
        let model = ImageViewModel(pipeline: fixture.pipeline)
        var changes = model.changes.makeAsyncIterator()
        guard case .empty = await changes.next() else { throw ImageError(.corrupt, "not empty") }
        model.show(fixture.request("a"))
        guard case .loading = await changes.next() else { throw ImageError(.corrupt, "not loading") }
        await fixture.loader.nextLoad().complete([7])
        guard case .showing = await changes.next() else { throw ImageError(.corrupt, "not showing") }
        model.reset()
        guard case .empty = await changes.next() else { throw ImageError(.corrupt, "not empty") }
    }

    @Test("A reader that starts late gets the newest state")
    func readersWhoComeLateSeeTheNewest() async throws {
        let model = ImageViewModel(pipeline: fixture.pipeline)
        let (first, second) = (model.changes, model.changes)
        model.show(try Image.pixel(3))
        for changes in [first, second] {
            var iterator = changes.makeAsyncIterator()
            guard case .showing = await iterator.next() else { throw ImageError(.corrupt, "not showing") }
        }
    }

    @Test("Observers are notified of properties that they read")
    func tellsObserversOfWhatTheyRead() async throws {
        let model = ImageViewModel(pipeline: fixture.pipeline)
        let changes = EventLog<Int>()
        withObservationTracking {
            _ = model.image
        } onChange: {
            changes.append(1)
        }
        model.transitionDuration = 1
        #expect(changes.events.isEmpty, "it has nothing to do with the picture")
        model.show(fixture.request("a"))
        #expect(changes.events == [1])
    }
}
