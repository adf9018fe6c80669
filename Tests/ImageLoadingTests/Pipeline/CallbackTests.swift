import Dispatch
import Foundation
import ImageLoading
import ImageLoadingTestSupport
import Raster
import Synchronization
import TestSupport
import Testing

/// Where a pipeline calls what a program gives it.
@Suite("Threads of callbacks")
struct CallbackTests {
    /// Where something was called.
    private enum Place: Hashable { case main, executor, pool }

    /// The main actor's queue has it, whatever thread serves it.
    private static let mainQueue = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    private static func place(_ executor: ImageExecutor) -> Place {
        if DispatchQueue.getSpecific(key: mainQueue) != nil { return .main }
        let current = withUnsafeCurrentTask { $0?.unownedTaskExecutor }
        return current == executor.asUnownedTaskExecutor() ? .executor : .pool
    }

    /// Where everything was called, by name.
    private final class Log: ImagePipelineObserving {
        let executor = ImageExecutor(width: 2)
        private let places = Mutex<[String: Set<Place>]>([:])

        func note(_ name: String) {
            let place = CallbackTests.place(executor)
            _ = places.withLock { $0[name, default: []].insert(place) }
        }
        var all: [String: Set<Place>] { places.withLock { $0 } }

        func taskWasCreated(_ task: Int, request: ImageRequest) { note("taskWasCreated") }
        func taskDidStart(_ task: Int, request: ImageRequest) { note("taskDidStart") }
        func taskDidProgress(_ task: Int, request: ImageRequest, receivedByteCount: Int, expectedByteCount: Int?) {
            note("taskDidProgress")
        }
        func taskDidFinish(
            _ task: Int, request: ImageRequest, result: Result<ImageResponse, ImagePipeline.Error>,
            metrics: ImageTaskMetrics
        ) { note("taskDidFinish") }
    }

    private struct Decoder: ImageDecoding {
        let log: Log
        func decode(_ data: Data) throws -> ImageContainer {
            log.note("decode")
            return ImageContainer(image: try .pixel(1))
        }
        func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? {
            log.note("decodePartiallyDownloadedData")
            return (try? .pixel(1)).map { ImageContainer(image: $0, isPreview: true) }
        }
    }

    private struct Encoder: ImageEncoding {
        let log: Log
        func encode(image: Image) throws -> Data {
            log.note("encode")
            return Data([1])
        }
    }

    @MainActor
    @Test("Work runs on the executor, closures on the pool, and a view's callbacks on the main actor")
    func places() async throws {
        let (log, folder) = (Log(), try TemporaryFolder())
        let disk = DataCache(directory: folder.file("cache"))
        let fixture = PipelineFixture {
            $0.executor = log.executor
            $0.isProgressiveDecodingEnabled = true
            $0.dataCache = disk
            $0.dataCacheOptions.storedItems = [.finalImage]
            $0.observers = [log]
            $0.makeImageDecoder = { _ in
                log.note("makeImageDecoder")
                return Decoder(log: log)
            }
            $0.makeImageEncoder = { _ in
                log.note("makeImageEncoder")
                return Encoder(log: log)
            }
            $0.dataFetching.authorize = { _, _ in log.note("authorize") }
        }
        let processor = ImageProcessors.Anonymous(id: "p") { image in
            log.note("process")
            return image
        }
        let arrivals = AsyncStream<Void>.makeStream()
        await withCheckedContinuation { continuation in
            fixture.pipeline.loadImage(
                with: fixture.request("a", processors: [processor]),
                progress: { preview, _, _ in
                    log.note(preview == nil ? "progress" : "preview")
                    if preview != nil { arrivals.continuation.finish() }
                },
                completion: { _ in
                    log.note("completion")
                    continuation.resume()
                })
            Task {
                let load = await fixture.loader.nextLoad()
                load.respond(byteCount: 2)
                load.send([1])
                for await _ in arrivals.stream {}
                load.send([1])
                load.finish()
            }
        }
        let made = ImageRequest(id: "made") {
            log.note("data source")
            return Data([1])
        }
        _ = try await fixture.pipeline.image(for: made)
        await fixture.pipeline.flush()
        while log.all["taskDidFinish"] == nil { await Task.yield() }
        let executor = [
            "makeImageDecoder", "decode", "decodePartiallyDownloadedData", "process", "makeImageEncoder", "encode",
        ]
        let pool = ["authorize", "data source", "taskDidStart", "taskDidProgress", "taskDidFinish"]
        for name in executor { #expect(log.all[name] == [.executor], "\(name)") }
        for name in pool { #expect(log.all[name] == [.pool], "\(name)") }
        for name in ["progress", "preview", "completion"] { #expect(log.all[name] == [.main], "\(name)") }
        #expect(log.all["taskWasCreated"]?.contains(.main) == true)
    }

    @Test("Callbacks run on the actor of the code that they are written in, or on the one that they name")
    func actors() async throws {
        let fixture = PipelineFixture()
        fixture.loader.answer("http://test/a", with: [1])
        let (pipeline, request) = (fixture.pipeline, fixture.request("a"))
        let log = Log()
        await withCheckedContinuation { continuation in
            pipeline.loadImage(with: request) { _ in
                log.note("nonisolated")
                continuation.resume()
            }
        }
        await withCheckedContinuation { continuation in
            pipeline.loadImage(with: request.url!) { @MainActor _ in
                log.note("annotated")
                continuation.resume()
            }
        }
        let counter = Counter()
        await counter.load(request, in: pipeline)
        await Self.load(request, in: pipeline, log)
        #expect(log.all == ["nonisolated": [.pool], "annotated": [.main], "function": [.pool]])
        #expect(await counter.count == 1)
    }

    /// An actor whose callback changes its state without an `await`.
    private actor Counter {
        var count = 0

        func load(_ request: ImageRequest, in pipeline: ImagePipeline) async {
            await withCheckedContinuation { continuation in
                pipeline.loadImage(with: request) { _ in
                    self.count += 1
                    continuation.resume()
                }
            }
        }
    }

    /// Passes a nonisolated function from the main actor.
    @MainActor
    private static func load(_ request: ImageRequest, in pipeline: ImagePipeline, _ log: Log) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            @Sendable nonisolated func completion(_ result: Result<ImageResponse, ImagePipeline.Error>) {
                log.note("function")
                continuation.resume()
            }
            pipeline.loadImage(with: request, completion: completion)
        }
    }

    @Test("A prefetcher reports completion on the pool")
    func prefetcher() async throws {
        let fixture = PipelineFixture()
        fixture.loader.answer("http://test/a", with: [1])
        let log = Log()
        let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline)
        await withCheckedContinuation { continuation in
            prefetcher.didComplete = {
                log.note("didComplete")
                continuation.resume()
            }
            prefetcher.startPrefetching(with: [fixture.request("a")])
        }
        #expect(log.all["didComplete"] == [.pool])
    }

    @Test("One request's callbacks come one at a time, in order")
    func oneAtATime() async throws {
        let fixture = PipelineFixture(makesPreviews: true) { $0.isProgressiveDecodingEnabled = true }
        let state = Mutex((running: 0, overlaps: 0, counts: [Int]()))
        let enter: @Sendable (Int) -> Void = { count in
            state.withLock {
                $0.running += 1
                if $0.running > 1 { $0.overlaps += 1 }
                $0.counts.append(count)
            }
            for _ in 0..<1000 { _ = state.withLock { $0.running } }
            state.withLock { $0.running -= 1 }
        }
        fixture.loader.answer(
            "http://test/a", with: ScriptedAnswer(pieces: (1...50).map { Data([UInt8($0)]) }))
        await withCheckedContinuation { continuation in
            fixture.pipeline.loadImage(
                with: fixture.request("a"), progress: { _, count, _ in enter(count) },
                completion: { _ in
                    enter(.max)
                    continuation.resume()
                })
        }
        let (_, overlaps, counts) = state.withLock { $0 }
        #expect(overlaps == 0)
        #expect(counts == counts.sorted())
        #expect(counts.last == .max)
    }
}
