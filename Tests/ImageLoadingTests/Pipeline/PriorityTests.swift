import Dispatch
import Foundation
import ImageLoading
import ImageLoadingTestSupport
import Raster
import Testing

@Suite("Queues and priorities in a pipeline")
struct PriorityTests {
    /// The order in which loads of the others begin when the first, which holds the only place, ends.
    private func order(
        _ order: ImagePipeline.Queue.Order, _ requests: [(String, ImageRequest.Priority)],
        change: ([String: ImageTask]) -> Void = { _ in }
    ) async -> [String] {
        let fixture = PipelineFixture { $0.dataLoadingQueue = .init(width: 1, order: order) }
        let held = fixture.pipeline.imageTask(with: fixture.request("held"))
        let first = await fixture.loader.nextLoad()
        var tasks: [String: ImageTask] = [:]
        for (index, (name, priority)) in requests.enumerated() {
            tasks[name] = fixture.pipeline.imageTask(with: fixture.request(name, priority: priority))
            await fixture.waitUntil(.data, waiting: index + 1, running: 1)
        }
        change(tasks)
        let left = requests.count - tasks.values.count { $0.status == .cancelled }
        await fixture.waitUntil(.data, waiting: left, running: 1)
        first.complete([1])
        var names: [String] = []
        for _ in 0..<left {
            let load = await fixture.loader.nextLoad()
            names.append(String(load.url.dropFirst("http://test/".count)))
            load.complete([1])
        }
        _ = try? await held.response
        #expect(fixture.loader.maximumRunningCount == 1)
        return names
    }

    @Test("Requests of equal priority run in order, or the last one first")
    func equals() async {
        let requests = ["a", "b", "c", "d"].map { ($0, ImageRequest.Priority.normal) }
        #expect(await order(.firstInFirstOut, requests) == ["a", "b", "c", "d"])
        #expect(await order(.lastInFirstOut, requests) == ["d", "c", "b", "a"])
    }

    @Test("Higher priorities run first")
    func urgent() async {
        let requests: [(String, ImageRequest.Priority)] = [
            ("a", .low), ("b", .veryHigh), ("c", .normal), ("d", .veryLow), ("e", .high), ("f", .veryHigh),
        ]
        #expect(await order(.firstInFirstOut, requests) == ["b", "f", "e", "c", "a", "d"])
        #expect(await order(.lastInFirstOut, requests) == ["f", "b", "e", "c", "a", "d"])
    }

    @Test("A changed priority applies at once, up and down")
    func changes() async {
        let requests: [(String, ImageRequest.Priority)] = [
            ("a", .normal), ("b", .normal), ("c", .normal), ("d", .normal),
        ]
        let changed = await order(.firstInFirstOut, requests) { tasks in
            tasks["d"]?.priority = .veryHigh
            tasks["a"]?.priority = .low
        }
        #expect(changed == ["d", "b", "c", "a"])
    }

    @Test("A cancelled task leaves the queue")
    func cancelled() async {
        let requests: [(String, ImageRequest.Priority)] = [("a", .normal), ("b", .normal), ("c", .normal)]
        #expect(await order(.firstInFirstOut, requests) { $0["b"]?.cancel() } == ["a", "c"])
    }

    @Test("Shared work has the highest priority of its tasks, also after one leaves")
    func shared() async throws {
        let fixture = PipelineFixture { $0.dataLoadingQueue = .init(width: 1) }
        let held = fixture.pipeline.imageTask(with: fixture.request("held"))
        let first = await fixture.loader.nextLoad()
        let counter = CountingProcessor.Counter()
        let processor = CountingProcessor("p", adding: 1, counter: counter)
        let low = fixture.pipeline.imageTask(with: fixture.request("shared", priority: .low))
        await fixture.waitUntil(.data, waiting: 1, running: 1)
        let other = fixture.pipeline.imageTask(with: fixture.request("other"))
        await fixture.waitUntil(.data, waiting: 2, running: 1)
        // Through another job, which wants the same bytes processed.
        let high = fixture.pipeline.imageTask(with: fixture.request("shared", processors: [processor], priority: .high))
        await fixture.waitUntil(.data, waiting: 2, running: 1)
        while fixture.pipeline.jobCount < 5 { await Task.yield() }
        first.complete([1])
        let next = await fixture.loader.nextLoad()
        #expect(next.url == "http://test/shared")
        next.complete([2])
        await fixture.loader.nextLoad("http://test/other").complete([3])
        #expect(try await high.response.image.pixelValue == 3)
        #expect(try await low.response.image.pixelValue == 2)
        _ = try await (held.response, other.response)
    }

    @Test("Prefetching leaves slots free for images that are waited for")
    func reserved() async throws {
        let fixture = PipelineFixture { $0.dataLoadingQueue = .init(width: 3, reservedWidth: 2) }
        let low = (0..<4).map { fixture.pipeline.imageTask(with: fixture.request("low\($0)", priority: .low)) }
        await fixture.waitUntil(.data, waiting: 3, running: 1)
        let visible = (0..<2).map { fixture.pipeline.imageTask(with: fixture.request("visible\($0)")) }
        await fixture.waitUntil(.data, waiting: 3, running: 3)
        for task in low + visible { task.cancel() }
        await fixture.waitUntil(.data, waiting: 0, running: 0)
    }

    @Test("Loading waits when too many bytes wait for decoding")
    func held() async throws {
        let gate = Gate()
        let fixture = PipelineFixture {
            $0.maximumUndecodedByteCount = 3
            $0.imageDecodingQueue = .init(width: 1)
            $0.makeImageDecoder = { _ in gate }
        }
        let tasks = ["a", "b", "c", "d"].map { fixture.pipeline.imageTask(with: fixture.request($0)) }
        await fixture.loader.waitForLoads(4)
        for load in fixture.loader.loads { load.complete([1, 1]) }
        await fixture.waitUntil(.data, waiting: 0, running: 0)
        // The first is being decoded, the others wait: that is enough.
        let late = fixture.pipeline.imageTask(with: fixture.request("late"))
        await fixture.waitUntil(.data, waiting: 1, running: 0)
        #expect(fixture.loader.loadCount == 4)
        gate.open()
        for task in tasks { _ = try await task.response }
        await fixture.loader.nextLoad("http://test/late").complete([1])
        _ = try await late.response
    }

    /// A decoder that waits for the test.
    private final class Gate: ImageDecoding {
        private let semaphore = DispatchSemaphore(value: 0)

        func open() { semaphore.signal() }

        func decode(_ data: Data) throws -> ImageContainer {
            semaphore.wait()
            semaphore.signal()
            return ImageContainer(image: try .pixel(1))
        }
    }
}
