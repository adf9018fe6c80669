#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The bytes of a job that loads them for others too, from the first one on.
struct JoinedBytes: AsyncSequence, Sendable {
    let inbox: DataInbox
    let graph: JobGraph
    let subscription: JobGraph.Subscription

    func makeAsyncIterator() -> Iterator { Iterator(bytes: self, end: Subscriber(graph, subscription)) }

    /// Ends the subscription when the iterator goes.
    final class Subscriber: Sendable {
        private let graph: JobGraph
        private let subscription: JobGraph.Subscription

        init(_ graph: JobGraph, _ subscription: JobGraph.Subscription) {
            self.graph = graph
            self.subscription = subscription
        }

        deinit { graph.unsubscribe(subscription) }
    }

    struct Iterator: AsyncIteratorProtocol {
        let bytes: JoinedBytes
        let end: Subscriber
        private var count = 0
        private var restartCount = 0
        private var isOver = false

        init(bytes: JoinedBytes, end: Subscriber) {
            self.bytes = bytes
            self.end = end
        }

        mutating func next() async throws -> Data? {
            while !isOver {
                let inbox = bytes.inbox
                let item = try await withTaskCancellationHandler {
                    try await inbox.next()
                } onCancel: {
                    inbox.finish(.failure(CancellationError()))
                }
                let data: Data
                switch item {
                case .final(let output):
                    data = output.data
                    isOver = true
                case .partial(let feed):
                    let prefix = feed.prefix()
                    data = prefix.data
                    guard prefix.restartCount == restartCount || count == 0 else { throw StreamedBytes.changed }
                    restartCount = prefix.restartCount
                }
                // What was delivered can't be taken back.
                guard data.count >= count else { throw StreamedBytes.changed }
                guard data.count > count else { continue }
                defer { count = data.count }
                return data[(data.startIndex + count)...]
            }
            return nil
        }
    }
}
