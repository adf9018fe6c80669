/// Those who read a value as it changes: each begins with the present one, and sees the newest when slow.
@MainActor
final class ChangeReaders<Value: Sendable> {
    private var continuations: [AsyncStream<Value>.Continuation] = []

    /// The value from now on, which is `value`; ends when this object goes.
    func stream(beginningWith value: Value) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield(value)
        continuations.append(continuation)
        return stream
    }

    /// Tells everybody, and forgets those who have stopped reading.
    func send(_ value: Value) {
        continuations.removeAll { continuation in
            if case .terminated = continuation.yield(value) { true } else { false }
        }
    }

    deinit {
        for continuation in continuations { continuation.finish() }
    }
}
