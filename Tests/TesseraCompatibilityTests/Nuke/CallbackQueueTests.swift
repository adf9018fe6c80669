import Dispatch
import Foundation
import ImageLoadingTestSupport
import Synchronization
import TesseraCompatibility
import Testing

@Suite("Callbacks on a queue")
struct CallbackQueueTests {
    private final class Calls: Sendable {
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "callbacks")
        private let names = Mutex<[String]>([])

        init() { queue.setSpecific(key: key, value: true) }

        func note(_ name: String) {
            let isOnQueue = DispatchQueue.getSpecific(key: key) == true
            names.withLock { $0.append(isOnQueue ? name : "\(name) elsewhere") }
        }
        var all: [String] { names.withLock { $0 } }
    }

    @Test("Progress, previews and the result come on the queue, in order", arguments: [false, true])
    func queue(byURL: Bool) async throws {
        let fixture = PipelineFixture(makesPreviews: true) { $0.isProgressiveDecodingEnabled = true }
        let (calls, arrivals) = (Calls(), AsyncStream<Void>.makeStream())
        await withCheckedContinuation { continuation in
            let progress: @Sendable (ImageResponse?, Int, Int) -> Void = { preview, _, _ in
                calls.note(preview == nil ? "progress" : "preview")
                if preview != nil { arrivals.continuation.finish() }
            }
            let completion: @Sendable (Result<ImageResponse, ImagePipeline.Error>) -> Void = { _ in
                calls.note("completion")
                continuation.resume()
            }
            let request = fixture.request("a")
            if byURL {
                fixture.pipeline.loadImage(
                    with: request.url!, queue: calls.queue, progress: progress, completion: completion)
            } else {
                fixture.pipeline.loadImage(
                    with: request, queue: calls.queue, progress: progress, completion: completion)
            }
            Task {
                let load = await fixture.loader.nextLoad()
                load.respond(byteCount: 1)
                load.send([1])
                for await _ in arrivals.stream {}
                load.finish()
            }
        }
        #expect(Set(calls.all) == ["progress", "preview", "completion"] && calls.all.last == "completion")
    }
}
