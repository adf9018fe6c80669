/// The readers of a changing value: each starts with the current value, and a slow one gets only the newest.
@MainActor
final class ChangeReaders<Value: Sendable> {
    private var continuations: [AsyncStream<Value>.Continuation] = []

    /// The values from now on, starting with `value`; ends when this object is freed.
    func stream(beginningWith value: Value) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield(value)
        continuations.append(continuation)
        return stream
    }

    /// Sends a value to all readers, and removes those that have stopped.
    func send(_ value: Value) {
        continuations.removeAll { continuation in
            if case .terminated = continuation.yield(value) { true } else { false }
        }
    }

    deinit {
        for continuation in continuations { continuation.finish() }
    }
}
