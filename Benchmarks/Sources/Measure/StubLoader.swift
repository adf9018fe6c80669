import Foundation
import ImageLoading
import Synchronization
import Tessera

/// A loader that answers everything with the same bytes, as soon as it is let go.
final class StubLoader: DataLoading {
    private struct State {
        var isHeld = false
        var loadCount = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let body = Data(repeating: 7, count: 64)

    /// How often it was asked since it was held last.
    var loadCount: Int { state.withLock { $0.loadCount } }

    /// Answers nothing until `release`.
    func hold() {
        state.withLock { state in
            state.isHeld = true
            state.loadCount = 0
        }
    }

    /// Answers everything, and what was asked for before.
    func release() {
        let waiting = state.withLock { state in
            state.isHeld = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func load(_ request: DataRequest) async throws -> DataDownload {
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                state.loadCount += 1
                if state.isHeld { state.waiting.append(continuation) }
                return state.isHeld
            }
            if !isHeld { continuation.resume() }
        }
        return DataDownload(
            response: DataResponse(url: request.url, expectedByteCount: body.count), body: DataChunks(body))
    }
}
