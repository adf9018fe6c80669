#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import ImageLoading
import ImageLoadingTestSupport
import Raster
import Synchronization
import Testing

@Suite("Reports of a pipeline's tasks")
struct ResponseTests {
    @Test("A response has its stages and byte counts")
    func metrics() async throws {
        let fixture = PipelineFixture()
        let processor = CountingProcessor("p", adding: 1, counter: .init())
        fixture.loader.answer("http://test/a", with: [1, 2, 3])
        let response = try await fixture.pipeline.response(for: fixture.request("a", processors: [processor]))
        #expect(response.metrics.stages.map(\.name) == [.data, .decode, .process])
        #expect(response.metrics.byteCount == 3)
        #expect(response.metrics.stages.allSatisfy { $0.waiting >= .zero && $0.working >= .zero })
        #expect(response.metrics.total >= response.metrics.stages.reduce(.zero) { $0 + $1.working })
        let again = try await fixture.pipeline.response(for: fixture.request("a", processors: [processor]))
        #expect(again.source == .memory)
        #expect(again.metrics.stages.isEmpty)
    }

    @Test("Progress has the bytes received, and the total if it is known")
    func progress() async throws {
        let fixture = PipelineFixture()
        let task = fixture.pipeline.imageTask(with: fixture.request("a"))
        let load = await fixture.loader.nextLoad()
        load.respond(byteCount: 4)
        await load.deliver([1])
        #expect(task.currentProgress == .init(completedByteCount: 1, totalByteCount: 4))
        #expect(task.currentProgress.fraction == 0.25)
        await load.deliver([1, 1, 1])
        load.finish()
        _ = try await task.response
        var counts: [Int] = []
        for await progress in task.progress { counts.append(progress.completedByteCount) }
        #expect(counts == [4])
    }

    @Test("Events can be read late and by several readers, and end once")
    func replay() async throws {
        let fixture = PipelineFixture(makesPreviews: true) { $0.isProgressiveDecodingEnabled = true }
        let task = fixture.pipeline.imageTask(with: fixture.request("a"))
        let load = await fixture.loader.nextLoad()
        load.respond(byteCount: 2)
        var previews = task.previews.makeAsyncIterator()
        load.send([5])
        _ = await previews.next()
        load.send([6])
        _ = await previews.next()
        load.finish()
        _ = try await task.response
        for _ in 0..<2 {
            var kinds: [String] = []
            for await event in task.events {
                switch event {
                case .progress(let progress): kinds.append("progress \(progress.completedByteCount)")
                case .preview(let preview): kinds.append("preview \(preview.image.pixelValue ?? 0)")
                case .finished: kinds.append("finished")
                }
            }
            #expect(kinds == ["progress 2", "preview 6", "finished"])
        }
    }

    @Test("Reading events ends when the reader is cancelled; the task goes on")
    func cancelledReader() async throws {
        let fixture = PipelineFixture()
        let task = fixture.pipeline.imageTask(with: fixture.request("a"))
        let load = await fixture.loader.nextLoad()
        let reader = Task {
            for await event in task.events { if case .finished = event { return true } }; return false
        }
        reader.cancel()
        #expect(await reader.value == false)
        load.complete([3])
        #expect(try await task.response.image.pixelValue == 3)
    }

    @Test("Callbacks come in order: bytes and previews, then one end")
    func callbacks() async throws {
        let fixture = PipelineFixture(makesPreviews: true) { $0.isProgressiveDecodingEnabled = true }
        let calls = Mutex<[String]>([])
        await withCheckedContinuation { continuation in
            let task = fixture.pipeline.loadImage(
                with: fixture.request("a"),
                progress: { preview, completed, total in
                    calls.withLock { $0.append(preview == nil ? "\(completed)/\(total)" : "preview") }
                },
                completion: { result in
                    calls.withLock { $0.append((try? result.get()) == nil ? "failed" : "done") }
                    continuation.resume()
                })
            Task {
                let load = await fixture.loader.nextLoad()
                load.respond(byteCount: 1)
                var previews = task.previews.makeAsyncIterator()
                load.send([9])
                _ = await previews.next()
                load.finish()
            }
        }
        let all = calls.withLock { $0 }
        #expect(all.last == "done")
        #expect(all.contains("1/1"))
        #expect(all.filter { $0 == "done" }.count == 1)
    }

    @Test("An error names its stage")
    func stages() async throws {
        let fixture = PipelineFixture()
        let failing = CountingProcessor("fails", adding: 0, counter: .init())
        fixture.loader.answer("http://test/ok", with: [1])
        fixture.loader.answer("http://test/corrupt", with: [0])
        fixture.loader.answer("http://test/empty", with: [])
        fixture.loader.answer("http://test/gone", with: [1], status: 404)
        let cases: [(ImageRequest, ImagePipeline.Stage)] = [
            (fixture.request("ok", processors: [failing]), .process),
            (fixture.request("corrupt"), .decode),
            (fixture.request("empty"), .data),
            (fixture.request("gone"), .data),
            (fixture.request("cached", options: .returnCacheDataDontLoad), .cache),
        ]
        for (request, stage) in cases {
            let error = await #expect(throws: ImagePipeline.Error.self) {
                try await fixture.pipeline.image(for: request)
            }
            #expect(error?.stage == stage, "\(request)")
            #expect(error?.description.isEmpty == false)
        }
    }

    @Test("Bytes beyond the limit are an error that names the limit, whatever their source")
    func tooMany() async throws {
        let fixture = PipelineFixture { $0.dataFetching.maximumByteCount = 3 }
        fixture.loader.answer("http://test/announced", with: [1, 2, 3, 4])
        fixture.loader.answer(
            "http://test/silent", with: ScriptedAnswer(pieces: [Data([1, 2]), Data([3, 4])], announcedByteCount: 3))
        let requests = [
            fixture.request("announced"), fixture.request("silent"), ImageRequest(id: "made") { Data([1, 2, 3, 4]) },
        ]
        for request in requests {
            let error = await #expect(throws: ImagePipeline.Error.self) {
                try await fixture.pipeline.data(for: request)
            }
            guard case .dataExceedsMaximumByteCount(3)? = error else {
                Issue.record("\(request): \(String(describing: error))")
                continue
            }
            #expect(error?.stage == .data)
        }
    }

    @Test("Bytes without a decoder are an error of their own code")
    func unknown() async throws {
        let fixture = PipelineFixture { $0.makeImageDecoder = { _ in nil } }
        fixture.loader.answer("http://test/a", with: [1])
        let error = await #expect(throws: ImagePipeline.Error.self) {
            try await fixture.pipeline.image(for: fixture.request("a"))
        }
        guard case .decoderNotRegistered(let context) = error else {
            Issue.record("\(String(describing: error))"); return
        }
        #expect(Array(context.data) == [1])
        #expect(context.urlResponse?.statusCode == 200)
    }

    @Test("Closures are loaded, shared and cached like URLs")
    func closures() async throws {
        let fixture = PipelineFixture()
        let calls = Mutex(0)
        let request = ImageRequest(id: "made") {
            calls.withLock { $0 += 1 }
            return Data([42])
        }
        let response = try await fixture.pipeline.response(for: request)
        #expect(response.image.pixelValue == 42)
        #expect(response.source == .local)
        #expect(try await fixture.pipeline.response(for: request).source == .memory)
        #expect(calls.withLock { $0 } == 1)
        let picture = ImageRequest(id: "picture", image: { ImageContainer(image: try .pixel(7)) })
        #expect(try await fixture.pipeline.image(for: picture).pixelValue == 7)
        let failing = ImageRequest(id: "failing", data: { throw ImageError(.inputOutput, "no") })
        let error = await #expect(throws: ImagePipeline.Error.self) { try await fixture.pipeline.image(for: failing) }
        #expect(error?.stage == .data)
    }

    @Test("Observers see each task from its start to its one end")
    func observers() async throws {
        let log = Log()
        let fixture = PipelineFixture { $0.observers = [log] }
        fixture.loader.answer("http://test/a", with: [1])
        fixture.loader.answer("http://test/b", with: [0])
        _ = try await fixture.pipeline.image(for: fixture.request("a"))
        _ = try? await fixture.pipeline.image(for: fixture.request("b"))
        while log.lines.withLock({ $0.filter { $0.hasSuffix("ok") || $0.hasSuffix("failed") }.count }) < 2 {
            await Task.yield()
        }
        let lines = log.lines.withLock { $0 }
        #expect(lines.filter { $0 == "http://test/a created" || $0 == "http://test/a ok" }.count == 2)
        #expect(lines.contains("http://test/b failed"))
    }

    private final class Log: ImagePipelineObserving {
        let lines = Mutex<[String]>([])

        func taskWasCreated(_ task: Int, request: ImageRequest) {
            lines.withLock { $0.append("\(request) created") }
        }

        func taskDidFinish(
            _ task: Int, request: ImageRequest, result: Result<ImageResponse, ImagePipeline.Error>,
            metrics: ImageTaskMetrics
        ) {
            lines.withLock { $0.append("\(request) \((try? result.get()) == nil ? "failed" : "ok")") }
        }
    }
}
