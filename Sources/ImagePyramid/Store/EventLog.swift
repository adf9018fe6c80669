internal import Synchronization

/// Sends events to any number of listeners; each receives the past ones first.
final class EventLog<Event: Sendable>: Sendable {
    private struct State {
        var past: [Event] = []
        var isOver = false
        var listeners: [Int: AsyncStream<Event>.Continuation] = [:]
        var nextListener = 0
    }

    private let state = Mutex(State())

    /// Sends `event`; the log ends if `isLast`.
    ///
    /// - Parameter summary: Events that replace all past ones, including this one, for later listeners.
    func tell(_ event: Event, summary: [Event]? = nil, isLast: Bool = false) {
        state.withLock { state in
            guard !state.isOver else { return }
            if let summary { state.past = summary } else { state.past.append(event) }
            // Yielding under the lock gives all listeners the same order. It takes the lock of a task that it wakes,
            // which a canceller of the task holds while the stream ends: termination handlers mustn't wait for this
            // lock.
            for (number, listener) in state.listeners {
                if case .terminated = listener.yield(event) { state.listeners[number] = nil }
            }
        }
        if isLast { end() }
    }

    /// The last event; nil if there is none.
    var latest: Event? { state.withLock { $0.past.last } }

    /// Ends all streams.
    func end() {
        let listeners = state.withLock { state -> [AsyncStream<Event>.Continuation] in
            state.isOver = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }

    /// Returns past and future events; the stream ends after the last one.
    func listen() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream<Event>.makeStream()
        let isOver = state.withLock { state in
            for event in state.past { continuation.yield(event) }
            guard !state.isOver else { return true }
            state.nextListener += 1
            // A listener that stopped is removed at the next event.
            state.listeners[state.nextListener] = continuation
            return false
        }
        if isOver { continuation.finish() }
        return stream
    }
}
