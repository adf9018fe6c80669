#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
package import ImageLoading
internal import Synchronization

/// A loader whose answers the test gives, when it wants to: what has no answer yet is held.
///
/// ```swift
/// let loader = ScriptedDataLoader()
/// loader.answer("http://a/1", with: bytes)      // at once, each time
/// let load = await loader.nextLoad()            // of any other URL: held until the test goes on
/// load.respond(byteCount: 100)
/// await load.deliver(first)                     // returns when the receiver wants more
/// load.finish()
/// ```
/// Nothing here sleeps.
package final class ScriptedDataLoader: DataLoading {
    private struct State {
        var answers: [String: [ScriptedAnswer]] = [:]
        var loads: [ScriptedLoad] = []
        /// How many of `loads` have been handed to the test.
        var claimed: Set<Int> = []
        var waiting: [(isMet: (State) -> ScriptedLoad?, continuation: CheckedContinuation<ScriptedLoad, Never>)] = []
        var counting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var maximumRunningCount = 0
    }

    private let state = Mutex(State())

    package init() {}

    // MARK: Answers

    /// Answers every request for `url` with `bytes`.
    package func answer(_ url: String, with bytes: [UInt8], status: Int = 200, headers: HTTPHeaders = HTTPHeaders()) {
        answer(url, with: ScriptedAnswer(status: status, headers: headers, pieces: [Data(bytes)]))
    }

    /// Answers requests for `url` with these in turn, and with the last ever after.
    package func answer(_ url: String, with answers: ScriptedAnswer...) {
        state.withLock { $0.answers[url] = answers }
    }

    // MARK: What was asked

    /// All loads so far, in the order in which they began.
    package var loads: [ScriptedLoad] { state.withLock { $0.loads } }
    /// Those that haven't ended.
    package var runningLoads: [ScriptedLoad] { loads.filter { $0.isRunning } }
    /// Those that were cancelled.
    package var cancelledLoads: [ScriptedLoad] { loads.filter { $0.isCancelled } }
    /// How many there are.
    package var loadCount: Int { state.withLock { $0.loads.count } }
    /// How many ran at the same time, at most.
    package var maximumRunningCount: Int { state.withLock { $0.maximumRunningCount } }

    /// How many of `url` there are.
    package func loadCount(_ url: String) -> Int { loads.count { $0.url == url } }

    /// The next load, of `url` if one is given, that hasn't been returned by this method yet; waits until it begins.
    package func nextLoad(_ url: String? = nil) async -> ScriptedLoad {
        await withCheckedContinuation { continuation in
            let found: ScriptedLoad? = state.withLock { state in
                let isMet: (State) -> ScriptedLoad? = { state in
                    state.loads.first { !state.claimed.contains($0.number) && (url == nil || $0.url == url) }
                }
                if let load = isMet(state) {
                    state.claimed.insert(load.number)
                    return load
                }
                state.waiting.append((isMet, continuation))
                return nil
            }
            if let found { continuation.resume(returning: found) }
        }
    }

    /// Returns when `count` loads have begun.
    package func waitForLoads(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isMet = state.withLock { state in
                if state.loads.count >= count { return true }
                state.counting.append((count, continuation))
                return false
            }
            if isMet { continuation.resume() }
        }
    }

    // MARK: DataLoading

    package func load(_ request: DataRequest) async throws -> DataDownload {
        let load = begin(request)
        let response = try await load.waitForResponse()
        return DataDownload(response: response, body: DataChunks(ScriptedBody(load: load)))
    }

    private func begin(_ request: DataRequest) -> ScriptedLoad {
        var resumed: [() -> Void] = []
        let (load, answer) = state.withLock { state in
            let load = ScriptedLoad(request, number: state.loads.count)
            state.loads.append(load)
            state.maximumRunningCount = max(state.maximumRunningCount, state.loads.count { $0.isRunning })
            var answer: ScriptedAnswer?
            if let answers = state.answers[load.url], let first = answers.first {
                answer = first
                if answers.count > 1 { state.answers[load.url] = Array(answers.dropFirst()) }
            }
            if let index = state.waiting.firstIndex(where: { $0.isMet(state) === load }) {
                let continuation = state.waiting.remove(at: index).continuation
                state.claimed.insert(load.number)
                resumed.append { continuation.resume(returning: load) }
            }
            for waiting in state.counting where waiting.count <= state.loads.count {
                resumed.append { waiting.continuation.resume() }
            }
            state.counting.removeAll { $0.count <= state.loads.count }
            return (load, answer)
        }
        answer?.give(to: load)
        for resume in resumed { resume() }
        return load
    }
}
