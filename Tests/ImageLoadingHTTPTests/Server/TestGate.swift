#if HTTP
/// Something to wait for until the test opens it.
struct TestGate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    /// Lets everybody through, for good.
    func open() { continuation.finish() }

    /// Returns when the gate is open, or the task is cancelled.
    func wait() async { for await _ in stream {} }
}
#endif
