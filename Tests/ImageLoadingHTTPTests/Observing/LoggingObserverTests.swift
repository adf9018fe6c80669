#if HTTP
#if Observability
import ImageLoading
import Logging
import Raster
import Synchronization
import Testing

@Suite("Logging")
struct LoggingObserverTests {
    private struct Line: Sendable {
        var level: Logger.Level
        var message: String
        var metadata: [String: String]
    }

    private final class Lines: Sendable {
        let all = Mutex<[Line]>([])
    }

    private struct Handler: LogHandler {
        let lines: Lines
        var logLevel = Logger.Level.trace
        var metadata = Logger.Metadata()

        init(_ lines: Lines) { self.lines = lines }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let line = Line(
                level: event.level, message: "\(event.message)", metadata: (event.metadata ?? [:]).mapValues { "\($0)" }
            )
            lines.all.withLock { $0.append(line) }
        }
    }

    private static func lines(
        _ result: Result<ImageResponse, ImagePipeline.Error>, metrics: ImageTaskMetrics = ImageTaskMetrics(),
        level: Logger.Level = .trace
    ) -> [Line] {
        let lines = Lines()
        var logger = Logger(label: "test") { _ in Handler(lines) }
        logger.logLevel = level
        let observer = LoggingObserver(logger: logger)
        let request = ObservedTasks.request
        observer.taskWasCreated(7, request: request)
        observer.taskDidStart(7, request: request)
        observer.taskDidProgress(7, request: request, receivedByteCount: 1, expectedByteCount: nil)
        observer.taskDidFinish(7, request: request, result: result, metrics: metrics)
        return lines.all.withLock { $0 }
    }

    @Test("A task is one line of the log")
    func oneLineForATask() throws {
        let metrics = ImageTaskMetrics(
            stages: [
                .init(.data, waiting: .milliseconds(1), working: .microseconds(20_500)),
                .init(.decode, waiting: .zero, working: .milliseconds(3)),
            ], total: .milliseconds(25), byteCount: 1234)
        let lines = Self.lines(.success(try ObservedTasks.response(.network)), metrics: metrics)
        #expect(lines.count == 1)
        #expect(lines[0].level == .debug)
        #expect(
            lines[0].metadata == [
                "task": "7", "url": "https://example.org/a.png", "source": "network", "bytes": "1234",
                "total_ms": "25.0", "data_ms": "20.5", "data_waiting_ms": "1.0", "decode_ms": "3.0",
                "decode_waiting_ms": "0.0",
            ])
        let joined = Self.lines(.success(try ObservedTasks.response(.diskOriginal, isJoined: true)))
        #expect(joined[0].metadata["joined"] == "true")
        #expect(joined[0].metadata["source"] == "disk (original)")
    }

    @Test("Failures have a higher level")
    func failuresAreLouder() {
        let failures: [(ImagePipeline.Error, Logger.Level, String?)] = [
            (.cancelled, .debug, nil), (.dataMissingInCache, .debug, "cache"),
            (.dataIsEmpty, .warning, "data"),
            (.dataLoadingFailed(ImageError(.inputOutput, "no")), .warning, "data"),
            (.dataExceedsMaximumByteCount(3), .warning, "data"),
            (.circularRequest, .error, nil), (ObservedTasks.decodingError, .error, "decode"),
        ]
        for (error, level, stage) in failures {
            let lines = Self.lines(.failure(error))
            #expect(lines.map(\.level) == [level])
            #expect(lines.first?.metadata["stage"] == stage)
            #expect(lines.first?.metadata["error"] == "\(error)")
            #expect(lines.first?.metadata["source"] == nil)
        }
    }

    @Test("A logger with a higher level receives nothing")
    func quietLoggersHearNothing() throws {
        #expect(Self.lines(.success(try ObservedTasks.response(.memory)), level: .info).isEmpty)
        #expect(Self.lines(.failure(.dataIsEmpty), level: .error).isEmpty)
        #expect(Self.lines(.failure(.dataIsEmpty), level: .warning).count == 1)
    }
}
#endif
#endif
