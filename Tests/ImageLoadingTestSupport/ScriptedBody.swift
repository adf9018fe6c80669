#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import ImageLoading

/// The bytes of a scripted load. Letting go of it without having read to the end cancels the load.
struct ScriptedBody: AsyncSequence, Sendable {
    let load: ScriptedLoad
    private let guardian: Guardian

    init(load: ScriptedLoad) {
        self.load = load
        guardian = Guardian(load: load)
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        let load: ScriptedLoad
        fileprivate let guardian: Guardian

        mutating func next() async throws -> Data? { try await load.nextPiece() }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(load: load, guardian: guardian) }

    /// Lives as long as somebody can still read.
    fileprivate final class Guardian: Sendable {
        let load: ScriptedLoad

        init(load: ScriptedLoad) { self.load = load }

        deinit { load.cancel() }
    }
}
