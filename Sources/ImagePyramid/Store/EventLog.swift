internal import Synchronization

/// Tells any number of listeners what happens, and each at first what has happened.
final class EventLog<Event: Sendable>: Sendable {
    private struct State {
        var past: [Event] = []
        var isOver = false
        var listeners: [Int: AsyncStream<Event>.Continuation] = [:]
        var nextListener = 0
    }

    private let state = Mutex(State())

    /// Tells `event`, the last one if `isLast`.
    ///
    /// - Parameter summary: What listeners that come later are told instead of all that was told so far, this too.
    func tell(_ event: Event, summary: [Event]? = nil, isLast: Bool = false) {
        state.withLock { state in
            guard !state.isOver else { return }
            if let summary { state.past = summary } else { state.past.append(event) }
            // Under the lock, so that all hear the same order; a stream only puts it in line. That takes the lock of a task
            // that it wakes, which whoever cancels the task has while the stream ends: nothing that ends one may wait here.
            for (number, listener) in state.listeners {
                if case .terminated = listener.yield(event) { state.listeners[number] = nil }
            }
        }
        if isLast { end() }
    }

    /// What happened last; nil where nothing has.
    var latest: Event? { state.withLock { $0.past.last } }

    /// Says that nothing more will happen.
    func end() {
        let listeners = state.withLock { state -> [AsyncStream<Event>.Continuation] in
            state.isOver = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }

    /// What has happened and what will; ends after the last event.
    func listen() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream<Event>.makeStream()
        let isOver = state.withLock { state in
            for event in state.past { continuation.yield(event) }
            guard !state.isOver else { return true }
            state.nextListener += 1
            // Who stops listening is forgotten with the next event.
            state.listeners[state.nextListener] = continuation
            return false
        }
        if isOver { continuation.finish() }
        return stream
    }
}
