import ImageLoading
import ImageLoadingTestSupport
import Synchronization
import TestSupport
import Testing

/// Everything at once. Meant for the thread sanitizer (Scripts/test-sanitized thread), and worth its second without.
@Suite("A pipeline under load")
struct TortureTests {
    /// How often each task has ended.
    private final class Ends: Sendable {
        let counts = Mutex<[Int: Int]>([:])
    }

    @Test("2000 random requests, cancellations, priorities and cache clears over 50 images", arguments: [1, 2, 3])
    func torture(seed: UInt64) async throws {
        let cache = ImageCache(costLimit: 40, memoryPressure: nil)
        let pipeline = ImagePipeline {
            $0.dataLoader = YieldingDataLoader()
            $0.dataFetching = DataFetching(retry: .never, rateLimiter: nil)
            $0.imageCache = cache
            $0.makeImageDecoder = { _ in CountingDecoder(makesPreviews: true) }
            $0.dataLoadingQueue = .init(width: 4, order: .lastInFirstOut, reservedWidth: 2)
            $0.imageDecodingQueue = .init(width: 2)
            $0.isStoringPreviewsInMemoryCache = true
        }
        let ends = Ends()
        await withTaskGroup { group in
            var random = SeededGenerator(seed)
            var tasks: [ImageTask] = []
            for _ in 0..<2000 {
                let number = Int.random(in: 1...50, using: &random)
                var processors: [any ImageProcessing] = []
                for step in 0..<Int.random(in: 0...3, using: &random) {
                    processors.append(CountingProcessor("p\(step)", adding: UInt8(step + 1), counter: .init()))
                }
                var request = ImageRequest(
                    url: PipelineFixture.url("\(number)"), processors: processors,
                    priority: ImageRequest.Priority.allCases.randomElement(using: &random)!)
                request.isProgressiveDecodingEnabled = Bool.random(using: &random)
                request.options = [[], .disableMemoryCacheReads, .disableMemoryCacheWrites].randomElement(
                    using: &random)!
                let expected = UInt8(number) + UInt8(processors.count * (processors.count + 1) / 2)
                let task = pipeline.imageTask(with: request)
                tasks.append(task)
                group.addTask {
                    for await event in task.events {
                        guard case .finished(let result) = event else { continue }
                        ends.counts.withLock { $0[task.id, default: 0] += 1 }
                        switch result {
                        case .success(let response): #expect(response.image.pixelValue == expected)
                        case .failure(.cancelled): #expect(task.status == .cancelled)
                        case .failure: #expect(!YieldingDataLoader.isWhole(number))
                        }
                    }
                }
                switch Int.random(in: 0..<8, using: &random) {
                case 0, 1: tasks.randomElement(using: &random)!.cancel()
                case 2:
                    let priority = ImageRequest.Priority.allCases.randomElement(using: &random)!
                    tasks.randomElement(using: &random)!.priority = priority
                case 3: cache.removeAll()
                case 4: await Task.yield()
                default: break
                }
            }
        }
        #expect(ends.counts.withLock { $0.count } == 2000)
        #expect(ends.counts.withLock { $0.values.allSatisfy { $0 == 1 } })
        #expect(pipeline.jobCount == 0)
        for stage in [ImagePipeline.Stage.data, .decode, .process] {
            // Those who were cancelled in the midst of their work leave when they notice.
            while pipeline.jobCounts(at: stage) != (0, 0) { await Task.yield() }
        }
    }
}
