#if HTTP
#if Observability
import CoreMetrics
import ImageLoading
import Metrics
import Raster
import Synchronization
import Testing

@Suite("Metrics")
struct MetricsObserverTests {
    /// Metrics in memory: what was recorded under a name and its dimensions.
    private final class Recorded: MetricsFactory, Sendable {
        let values = Mutex<[String: [Int64]]>([:])

        final class Handler: CounterHandler, TimerHandler, Sendable {
            let recorded: Recorded
            let name: String

            init(_ recorded: Recorded, _ label: String, _ dimensions: [(String, String)]) {
                self.recorded = recorded
                name = ([label] + dimensions.map { "\($0)=\($1)" }).joined(separator: " ")
            }

            func increment(by amount: Int64) { record(amount) }
            func recordNanoseconds(_ duration: Int64) { record(duration) }
            func reset() {}
            private func record(_ value: Int64) {
                recorded.values.withLock { $0[name, default: []].append(value) }
            }
        }

        func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
            Handler(self, label, dimensions)
        }
        func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
            Handler(self, label, dimensions)
        }
        func makeRecorder(
            label: String, dimensions: [(String, String)], aggregate: Bool
        ) -> any RecorderHandler { NOOPMetricsHandler.instance }
        func destroyCounter(_ handler: any CounterHandler) {}
        func destroyRecorder(_ handler: any RecorderHandler) {}
        func destroyTimer(_ handler: any TimerHandler) {}
    }

    private static func recorded(
        _ result: Result<ImageResponse, ImagePipeline.Error>, metrics: ImageTaskMetrics = ImageTaskMetrics()
    ) -> [String: [Int64]] {
        let recorded = Recorded()
        let observer = MetricsObserver(factory: recorded)
        observer.taskWasCreated(1, request: ObservedTasks.request)
        observer.taskDidFinish(1, request: ObservedTasks.request, result: result, metrics: metrics)
        return recorded.values.withLock { $0 }
    }

    @Test("Tasks are counted and timed")
    func countsAndTimes() throws {
        let metrics = ImageTaskMetrics(
            stages: [.init(.data, waiting: .nanoseconds(5), working: .nanoseconds(7))], total: .nanoseconds(20),
            byteCount: 99)
        #expect(
            Self.recorded(.success(try ObservedTasks.response(.network)), metrics: metrics) == [
                "image_tasks_finished_total source=network joined=false": [1], "image_task_duration": [20],
                "image_stage_duration stage=data": [7], "image_stage_waiting_duration stage=data": [5],
                "image_bytes_received_total": [99],
            ])
    }

    @Test("Failures are counted by stage")
    func failuresByStage() {
        let failures: [(ImagePipeline.Error, String)] = [
            (.cancelled, "image_tasks_cancelled_total"), (.dataIsEmpty, "image_tasks_failed_total stage=data"),
            (ObservedTasks.decodingError, "image_tasks_failed_total stage=decode"),
        ]
        for (error, name) in failures {
            #expect(Self.recorded(.failure(error)) == [name: [1], "image_task_duration": [0]])
        }
    }

    @Test("Long durations don't overflow")
    func longTimesDoNotOverflow() {
        let metrics = ImageTaskMetrics(total: .seconds(Int64.max))
        #expect(Self.recorded(.failure(.dataIsEmpty), metrics: metrics)["image_task_duration"] == [.max])
    }
}
#endif
#endif
