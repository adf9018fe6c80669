#if HTTP
/// A body that the test sends piece by piece, to one request.
struct HeldBody: Sendable {
    let pieces: AsyncThrowingStream<[UInt8], any Error>
    private let continuation: AsyncThrowingStream<[UInt8], any Error>.Continuation

    init() { (pieces, continuation) = AsyncThrowingStream.makeStream() }

    /// Sends bytes.
    func send(_ bytes: some Sequence<UInt8>) { continuation.yield(Array(bytes)) }

    /// Ends the body.
    func finish() { continuation.finish() }

    /// Closes the connection.
    func cut() { continuation.finish(throwing: TestReply.Cut()) }
}
#endif
