import Synchronization

/// What happened, in its order, on any threads.
final class EventLog<Event: Sendable>: Sendable {
    private let log = Mutex<[Event]>([])

    func append(_ event: Event) { log.withLock { $0.append(event) } }

    var events: [Event] { log.withLock { $0 } }
}
