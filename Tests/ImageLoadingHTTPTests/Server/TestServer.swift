#if HTTP
import Hummingbird
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A server on this machine that answers as the test says and remembers what it was asked. See `withServer`.
final class TestServer: Sendable {
    typealias Handler = @Sendable (TestRequest) async throws -> TestReply

    private struct State {
        var port = 0
        var handlers: [String: Handler] = [:]
        var requests: [TestRequest] = []
        var closedPaths: [String] = []
        var waiting: [(isMet: (State) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    func start(port: Int) { state.withLock { $0.port = port } }

    var port: Int { state.withLock { $0.port } }

    /// The address of a path.
    func url(_ path: String) -> URL { URL(string: "http://127.0.0.1:\(port)\(path)")! }

    // MARK: What is answered (404 where nothing was said)

    /// Answers every request for `path` by `handler`, which can look at it and wait.
    func respond(_ path: String, by handler: @escaping Handler) { state.withLock { $0.handlers[path] = handler } }

    /// Answers every request for `path` alike.
    func respond(_ path: String, _ reply: TestReply) { respond(path) { _ in reply } }

    /// Answers requests for `path` with these in turn, and with the last ever after.
    func respond(_ path: String, inTurn replies: TestReply...) {
        let count = Mutex(0)
        respond(path) { _ in
            replies[
                count.withLock { count in
                    defer { count += 1 }
                    return min(count, replies.count - 1)
                }]
        }
    }

    /// Serves a file at `path`.
    func serve(_ path: String, _ file: TestFile) { respond(path) { file.reply(to: $0) } }

    /// Answers one request for `path` with what the test sends, when it does.
    func hold(_ path: String, byteCount: Int? = nil) -> HeldBody {
        let body = HeldBody()
        respond(path, .held(body, byteCount: byteCount))
        return body
    }

    // MARK: What was asked

    /// All requests so far.
    var requests: [TestRequest] { state.withLock { $0.requests } }

    /// The requests for `path` so far.
    func requests(_ path: String) -> [TestRequest] { requests.filter { $0.path == path } }

    /// Returns when there have been `count` requests for `path`.
    func waitForRequests(_ count: Int, _ path: String) async {
        await wait { $0.requests.count { $0.path == path } >= count }
    }

    /// How often a client closed the connection before it had the whole response for `path`.
    func closedCount(_ path: String) -> Int { state.withLock { $0.closedPaths.count { $0 == path } } }

    /// Returns when that has happened `count` times.
    func waitForClose(_ path: String, count: Int = 1) async {
        await wait { $0.closedPaths.count { $0 == path } >= count }
    }

    private func wait(_ isMet: @escaping @Sendable (State) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMetNow = state.withLock { state in
                if isMet(state) { return true }
                state.waiting.append((isMet, continuation))
                return false
            }
            if isMetNow { continuation.resume() }
        }
    }

    // MARK: The server's side

    func answer(_ received: Request) async -> Response {
        let request = TestRequest(received)
        let handler = note { state in
            state.requests.append(request)
            return state.handlers[request.path]
        }
        // A client that is still sending when the connection ends may not see the answer.
        do { for try await _ in received.body {} } catch { return TestReply.status(400).response }
        guard let handler else { return TestReply.status(404).response }
        return (try? await handler(request))?.response ?? TestReply.status(500).response
    }

    func noteClose(_ path: String) { note { $0.closedPaths.append(path) } }

    /// Changes the state and wakes those whose wait it ends.
    private func note<Value: Sendable>(_ change: (inout State) -> Value) -> Value {
        let (value, woken) = state.withLock { state in
            let value = change(&state)
            let waiting = state.waiting
            let after = state
            state.waiting = waiting.filter { !$0.isMet(after) }
            return (value, waiting.filter { $0.isMet(after) }.map(\.continuation))
        }
        for continuation in woken { continuation.resume() }
        return value
    }
}
#endif
