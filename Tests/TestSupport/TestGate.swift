internal import Synchronization

/// Holds tasks until the test opens it, for good.
package final class TestGate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let arrivals = Atomic(0)

    package init() { (stream, continuation) = AsyncStream.makeStream() }

    /// How many tasks have come to the gate so far.
    package var arrivalCount: Int { arrivals.load(ordering: .sequentiallyConsistent) }

    /// Lets everyone through.
    package func open() { continuation.finish() }

    /// Returns when the gate is open. A task that is cancelled here opens it.
    package func wait() async {
        arrivals.wrappingAdd(1, ordering: .sequentiallyConsistent)
        for await _ in stream {}
    }
}
