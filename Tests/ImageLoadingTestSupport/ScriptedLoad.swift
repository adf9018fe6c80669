#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
package import ImageLoading
internal import Synchronization

/// One load of a scripted loader, which the test answers.
package final class ScriptedLoad: Sendable {
    package let request: DataRequest
    let number: Int

    private struct State {
        var response: Result<DataResponse, any Error>?
        var pieces: [Data] = []
        /// How the body ends, after the pieces.
        var end: Result<Void, any Error>?
        var hasEnded = false
        var isCancelled = false
        /// How many pieces were sent and taken, and whether the receiver is back for more.
        var sentCount = 0
        var takenCount = 0
        var awaitsPiece = false
        var responseWaiter: CheckedContinuation<DataResponse, any Error>?
        var pieceWaiter: CheckedContinuation<Data?, any Error>?
        var deliveryWaiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var endWaiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    init(_ request: DataRequest, number: Int) {
        self.request = request
        self.number = number
    }

    package var url: String { request.url.absoluteString }
    /// Whether the receiver gave up: it was cancelled, or let go of the body.
    package var isCancelled: Bool { state.withLock { $0.isCancelled } }
    /// Whether neither the test nor the receiver has ended it.
    package var isRunning: Bool { state.withLock { !$0.hasEnded } }

    // MARK: The test's side

    /// Sends the response.
    package func respond(status: Int = 200, headers: HTTPHeaders = HTTPHeaders(), byteCount: Int? = nil) {
        respond(DataResponse(url: request.url, statusCode: status, headers: headers, expectedByteCount: byteCount))
    }

    /// Sends the response.
    package func respond(_ response: DataResponse) {
        let waiter: CheckedContinuation<DataResponse, any Error>? = state.withLock { state in
            guard state.response == nil else { return nil }
            state.response = .success(response)
            defer { state.responseWaiter = nil }
            return state.responseWaiter
        }
        waiter?.resume(returning: response)
    }

    /// Sends bytes, and a response without facts if there was none.
    package func send(_ bytes: some Sequence<UInt8>) { enqueue(Data(bytes)) }

    /// Sends bytes and returns when the receiver has dealt with them: it asks for more, or has gone.
    package func deliver(_ bytes: some Sequence<UInt8>) async {
        let number = enqueue(Data(bytes))
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if Self.isDelivered(number, state) { return true }
                state.deliveryWaiters.append((number, continuation))
                return false
            }
            if isDone { continuation.resume() }
        }
    }

    /// Sends everything: the response, the bytes and the end.
    package func complete(_ bytes: some Sequence<UInt8>, headers: HTTPHeaders = HTTPHeaders()) {
        let data = Data(bytes)
        respond(headers: headers, byteCount: data.count)
        send(data)
        finish()
    }

    /// Ends the body.
    package func finish() { end(.success(())) }

    /// Fails the load, or the body after what was sent of it.
    package func fail(_ error: any Error) { end(.failure(error)) }

    /// Returns when the receiver has given up, or everything has been taken.
    package func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.hasEnded { return true }
                state.endWaiters.append(continuation)
                return false
            }
            if isDone { continuation.resume() }
        }
    }

    @discardableResult
    private func enqueue(_ data: Data) -> Int {
        respond()
        let (waiter, number) = state.withLock { state in
            state.sentCount += 1
            if let waiter = state.pieceWaiter {
                state.pieceWaiter = nil
                state.takenCount += 1
                state.awaitsPiece = false
                return (waiter as CheckedContinuation<Data?, any Error>?, state.sentCount)
            }
            state.pieces.append(data)
            return (nil, state.sentCount)
        }
        waiter?.resume(returning: data)
        return number
    }

    private func end(_ result: Result<Void, any Error>) {
        var resumed: [() -> Void] = []
        state.withLock { state in
            guard state.end == nil else { return }
            state.end = result
            if state.response == nil, case .failure(let error) = result {
                state.response = .failure(error)
                if let waiter = state.responseWaiter { resumed.append { waiter.resume(throwing: error) } }
                state.responseWaiter = nil
                resumed += Self.endNow(&state)
            } else if let waiter = state.pieceWaiter {
                state.pieceWaiter = nil
                resumed.append { Self.resume(waiter, result) }
                resumed += Self.endNow(&state)
            }
        }
        for resume in resumed { resume() }
        respond()
    }

    private static func resume(_ waiter: CheckedContinuation<Data?, any Error>, _ end: Result<Void, any Error>) {
        waiter.resume(with: end.map { nil })
    }

    private static func isDelivered(_ number: Int, _ state: State) -> Bool {
        state.hasEnded || state.takenCount > number || (state.takenCount == number && state.awaitsPiece)
    }

    private static func endNow(_ state: inout State) -> [() -> Void] {
        guard !state.hasEnded else { return [] }
        state.hasEnded = true
        let waiters = state.endWaiters + state.deliveryWaiters.map(\.continuation)
        state.endWaiters = []
        state.deliveryWaiters = []
        return waiters.map { waiter in { waiter.resume() } }
    }

    // MARK: The receiver's side

    func waitForResponse() async throws -> DataResponse {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Result<DataResponse, any Error>? = state.withLock { state in
                    if state.isCancelled { return .failure(CancellationError()) }
                    if let response = state.response { return response }
                    state.responseWaiter = continuation
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            cancel()
        }
    }

    func nextPiece() async throws -> Data? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                var resumed: [() -> Void] = []
                state.withLock { state in
                    if state.isCancelled {
                        resumed.append { continuation.resume(throwing: CancellationError()) }
                    } else if !state.pieces.isEmpty {
                        let piece = state.pieces.removeFirst()
                        resumed += Self.wantMore(&state)
                        state.takenCount += 1
                        state.awaitsPiece = false
                        resumed.append { continuation.resume(returning: piece) }
                    } else if let end = state.end {
                        resumed += Self.endNow(&state)
                        resumed.append { Self.resume(continuation, end) }
                    } else {
                        state.pieceWaiter = continuation
                        resumed += Self.wantMore(&state)
                    }
                }
                for resume in resumed { resume() }
            }
        } onCancel: {
            cancel()
        }
    }

    private static func wantMore(_ state: inout State) -> [() -> Void] {
        state.awaitsPiece = true
        let waiters = state.deliveryWaiters
        let done = waiters.filter { isDelivered($0.count, state) }
        state.deliveryWaiters = waiters.filter { !isDelivered($0.count, state) }
        return done.map { waiter in { waiter.continuation.resume() } }
    }

    /// The receiver has gone.
    func cancel() {
        var resumed: [() -> Void] = []
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.isCancelled = true
            if let waiter = state.responseWaiter { resumed.append { waiter.resume(throwing: CancellationError()) } }
            if let waiter = state.pieceWaiter { resumed.append { waiter.resume(throwing: CancellationError()) } }
            state.responseWaiter = nil
            state.pieceWaiter = nil
            resumed += Self.endNow(&state)
        }
        for resume in resumed { resume() }
    }
}
