#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Bytes in the pieces in which they arrive.
public struct DataChunks: AsyncSequence, Sendable {
    private let start: @Sendable () -> Iterator

    /// The pieces that `base` delivers.
    public init<Base: AsyncSequence & Sendable>(_ base: Base) where Base.Element == Data {
        start = {
            // The iterator is used by one task at a time, whoever iterates; it is made anew for each iteration.
            nonisolated(unsafe) var iterator = base.makeAsyncIterator()
            return Iterator(advance: { try await iterator.next() })
        }
    }

    /// One piece.
    public init(_ data: Data) {
        start = {
            var rest = data.isEmpty ? nil : data
            return Iterator(advance: {
                defer { rest = nil }
                return rest
            })
        }
    }

    /// Iterates the pieces.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let advance: () async throws -> Data?

        /// The piece that comes next; nil at the end.
        public mutating func next() async throws -> Data? { try await advance() }
    }

    /// Begins to iterate.
    public func makeAsyncIterator() -> Iterator { start() }
}
