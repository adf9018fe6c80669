#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Synchronization

/// Bytes that are arriving, for several who look at them from the beginning, each when it has time.
///
/// While somebody works on the bytes so far, new ones wait in pieces, so that they aren't copied with each piece.
final class DataFeed: Sendable {
    private struct State {
        var gathered = Data()
        var pieces: [Data] = []
        var response: DataResponse?
        /// How often the bytes began anew.
        var restartCount = 0
    }

    private let state = Mutex(State())

    /// What the bytes are.
    func setResponse(_ response: DataResponse) {
        state.withLock { $0.response = response }
    }

    /// Takes the bytes that come next.
    func append(_ piece: Data) {
        state.withLock { $0.pieces.append(piece) }
    }

    /// Drops all bytes: others will come.
    func restart() {
        state.withLock { state in
            state.gathered = Data()
            state.pieces = []
            state.restartCount += 1
        }
    }

    /// All bytes so far, what was said of them, and how often they began anew.
    func prefix() -> (data: Data, response: DataResponse?, restartCount: Int) {
        state.withLock { state in
            if state.gathered.isEmpty, state.pieces.count == 1 {
                state.gathered = state.pieces[0]
            } else if !state.pieces.isEmpty {
                let count = state.pieces.reduce(state.gathered.count) { $0 + $1.count }
                // Twice as much where it has to move: each byte is moved a bounded number of times.
                state.gathered.reserveCapacity(count)
                for piece in state.pieces { state.gathered.append(piece) }
            }
            state.pieces.removeAll(keepingCapacity: true)
            return (state.gathered, state.response, state.restartCount)
        }
    }
}
