/// Bytes cut into pieces, each when it is asked for.
struct Chunks: AsyncSequence, Sendable {
    private let bytes: [UInt8]
    private let size: Int

    init(_ bytes: [UInt8], _ size: Int) {
        self.bytes = bytes
        self.size = Swift.max(1, size)
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let chunks: Chunks
        private var position = 0

        fileprivate init(_ chunks: Chunks) { self.chunks = chunks }

        mutating func next() async -> [UInt8]? {
            guard position < chunks.bytes.count else { return nil }
            let end = Swift.min(chunks.bytes.count, position + chunks.size)
            defer { position = end }
            return Array(chunks.bytes[position..<end])
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}
