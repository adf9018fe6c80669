#if Server
import Logging
import Synchronization

/// What a server has logged.
final class RecordedLog: Sendable {
    struct Entry: Sendable {
        let level: Logger.Level
        let message: String
        let metadata: [String: String]
    }

    private let state = Mutex<[Entry]>([])

    var entries: [Entry] { state.withLock { $0 } }
    var warnings: [String] { entries.filter { $0.level == .warning }.map(\.message) }

    func append(_ entry: Entry) { state.withLock { $0.append(entry) } }
}

/// Keeps what is logged for a test to read.
struct RecordingLogHandler: LogHandler {
    let log: RecordedLog
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    init(log: RecordedLog) { self.log = log }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let values = (event.metadata ?? [:]).mapValues { "\($0)" }
        log.append(RecordedLog.Entry(level: event.level, message: "\(event.message)", metadata: values))
    }
}
#endif
