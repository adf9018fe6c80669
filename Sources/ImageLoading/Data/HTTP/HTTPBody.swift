#if HTTP
internal import AsyncHTTPClient
internal import NIOCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A response's bytes as they arrive. Letting go of it before its end closes the connection.
struct HTTPBody: AsyncSequence, Sendable {
    let body: HTTPClientResponse.Body
    let host: String
    let connections: HTTPConnections

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var base: HTTPClientResponse.Body.AsyncIterator
        fileprivate let host: String
        fileprivate let connections: HTTPConnections

        mutating func next() async throws -> Data? {
            do {
                // One copy, out of the buffer that the connection reads into, which is much larger than what it has got.
                return try await base.next().map { Data($0.readableBytesView) }
            } catch {
                throw HTTPFailure.error(for: error, host: host, isConnected: true)
            }
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: body.makeAsyncIterator(), host: host, connections: connections)
    }
}
#endif
