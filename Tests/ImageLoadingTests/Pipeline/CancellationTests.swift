import ImageLoading
import ImageLoadingTestSupport
import TestSupport
import Testing

@Suite("Cancelling in a pipeline")
struct CancellationTests {
    @Test("The last subscriber to leave ends the load, and others don't")
    func lastSubscriber() async throws {
        let fixture = PipelineFixture()
        let counter = CountingProcessor.Counter()
        let processor = CountingProcessor("p", adding: 1, counter: counter)
        let first = fixture.pipeline.imageTask(with: fixture.request("a"))
        let second = fixture.pipeline.imageTask(with: fixture.request("a", processors: [processor]))
        let load = await fixture.loader.nextLoad()
        first.cancel()
        #expect(first.status == .cancelled)
        #expect(load.isRunning)
        second.cancel()
        await load.waitForEnd()
        #expect(load.isCancelled)
        #expect(fixture.loader.loadCount == 1)
        await #expect(throws: ImagePipeline.Error.self) { try await first.response }
    }

    /// Part of a request; opens its gate when nobody holds it any longer.
    private final class Token: Sendable {
        let release: TestGate
        init(_ release: TestGate) { self.release = release }
        deinit { release.open() }
    }

    private func cancelledLoad(_ fixture: PipelineFixture, _ release: TestGate) async {
        let token = Token(release)
        let processors = (0..<3).map { number in
            ImageProcessors.Anonymous(id: "\(number)") { image in
                withExtendedLifetime(token) { image }
            }
        }
        let task = fixture.pipeline.imageTask(with: fixture.request("a", processors: processors))
        let load = await fixture.loader.nextLoad()
        task.cancel()
        await load.waitForEnd()
    }

    @Test(
        "A cancelled task releases all that its request holds, in the jobs that waited for others too",
        .timeLimit(.minutes(15)))
    func nothingLeft() async throws {
        let fixture = PipelineFixture()
        let release = TestGate()
        await cancelledLoad(fixture, release)
        // Ends when the token is deallocated; otherwise the time limit ends the test.
        await release.wait()
        withExtendedLifetime(fixture) {}
    }

    @Test("When one of two tasks leaves, the other gets its image")
    func oneOfTwo() async throws {
        let fixture = PipelineFixture()
        let first = fixture.pipeline.imageTask(with: fixture.request("a"))
        let second = fixture.pipeline.imageTask(with: fixture.request("a"))
        let load = await fixture.loader.nextLoad()
        first.cancel()
        load.complete([9])
        #expect(try await second.response.image.pixelValue == 9)
    }

    @Test("A request after a cancellation starts a new load")
    func again() async throws {
        let fixture = PipelineFixture()
        let first = fixture.pipeline.imageTask(with: fixture.request("a"))
        let load = await fixture.loader.nextLoad()
        first.cancel()
        let second = fixture.pipeline.imageTask(with: fixture.request("a"))
        await load.waitForEnd()
        await fixture.loader.nextLoad().complete([4])
        #expect(try await second.response.image.pixelValue == 4)
    }

    @Test("Cancelling the waiting Swift task cancels the load")
    func structured() async throws {
        let fixture = PipelineFixture()
        let waiting = Task { try await fixture.pipeline.image(for: fixture.request("a")) }
        let load = await fixture.loader.nextLoad()
        waiting.cancel()
        await load.waitForEnd()
        #expect(load.isCancelled)
        await #expect(throws: ImagePipeline.Error.self) { try await waiting.value }
    }

    @Test("Cancelling a task that waits for bytes, or no longer reading them, cancels the load")
    func bytes() async throws {
        let fixture = PipelineFixture()
        let waiting = Task { try await fixture.pipeline.data(for: fixture.request("a")) }
        let first = await fixture.loader.nextLoad()
        waiting.cancel()
        await first.waitForEnd()
        #expect(first.isCancelled)
        let reading = Task {
            for try await _ in try await fixture.pipeline.bytes(for: fixture.request("b")) { break }
        }
        let second = await fixture.loader.nextLoad()
        second.respond()
        second.send([1])
        try await reading.value
        await second.waitForEnd()
        #expect(second.isCancelled)
    }

    @Test("A task has one end")
    func oneEnd() async throws {
        let fixture = PipelineFixture()
        let task = fixture.pipeline.imageTask(with: fixture.request("a"))
        await fixture.loader.nextLoad().complete([4])
        _ = try await task.response
        task.cancel()
        task.priority = .high
        #expect(task.status == .completed)
        var ends = 0
        for await event in task.events { if case .finished = event { ends += 1 } }
        #expect(ends == 1)
        #expect(try await task.response.image.pixelValue == 4)
    }

    @Test("Tasks cancelled concurrently while bytes arrive have one end each and leave no job")
    func atOnce() async throws {
        for round in 0..<40 {
            let fixture = PipelineFixture(makesPreviews: true) {
                $0.isProgressiveDecodingEnabled = true
                $0.isTaskCoalescingEnabled = round % 4 != 3
            }
            fixture.loader.answer("http://test/a", with: [1, 2, 3])
            let processors = [1, 2].map { CountingProcessor("\($0)", adding: $0, counter: .init()) }
            let tasks = (0..<24).map { number in
                fixture.pipeline.imageTask(with: fixture.request("a", processors: Array(processors.prefix(number % 3))))
            }
            await withTaskGroup { group in
                for (number, task) in tasks.enumerated() where number % 3 != round % 3 {
                    // Twice, and from several threads.
                    for _ in 0..<2 {
                        group.addTask {
                            if number % 2 == 0 { await Task.yield() }
                            task.cancel()
                        }
                    }
                    group.addTask { _ = try? await fixture.pipeline.data(for: fixture.request("a")) }
                }
            }
            for (number, task) in tasks.enumerated() {
                let value = try? await task.response.image.pixelValue
                #expect(task.status == (value == nil ? .cancelled : .completed))
                #expect(number % 3 != round % 3 || value == [1, 2, 4][number % 3])
                var ends = 0
                for await event in task.events { if case .finished = event { ends += 1 } }
                #expect(ends == 1)
            }
            while fixture.pipeline.jobCount > 0 { await Task.yield() }
        }
    }

    @Test("An invalidated pipeline cancels present and future tasks")
    func invalidated() async throws {
        let fixture = PipelineFixture()
        let task = fixture.pipeline.imageTask(with: fixture.request("a"))
        let load = await fixture.loader.nextLoad()
        fixture.pipeline.invalidate()
        await load.waitForEnd()
        #expect(task.status == .cancelled)
        #expect(fixture.pipeline.imageTask(with: fixture.request("b")).status == .cancelled)
        await #expect(throws: ImagePipeline.Error.self) { try await fixture.pipeline.data(for: fixture.request("c")) }
        #expect(fixture.loader.loadCount == 1)
    }
}
