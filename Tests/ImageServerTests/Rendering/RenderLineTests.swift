import ImageServer
import Synchronization
import Testing

@Suite("The line before the renderer")
struct RenderLineTests {
    /// Holds those who come until it is opened.
    private final class Gate: Sendable {
        private let state = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

        func pass() async {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiting.append(continuation) }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
        }

        func open() {
            let waiting = state.withLock { state in
                state.isOpen = true
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }

        var count: Int { state.withLock { $0.waiting.count } }
    }

    @Test("So many are made at a time, so many wait, the others are told to come back")
    func bounds() async throws {
        let line = RenderLine(width: 2, depth: 3)
        let gate = Gate()
        let results = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    do throws(RequestFailure) {
                        return try await line.perform { () throws(RequestFailure) in
                            await gate.pass()
                            return 200
                        }
                    } catch {
                        return error.retryAfter == nil ? 0 : error.status
                    }
                }
            }
            while line.totals.refused < 15 { await Task.yield() }
            #expect(line.totals == (2, 3, 15))
            gate.open()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count { $0 == 200 } == 5 && results.count { $0 == 503 } == 15)
        #expect(line.totals.running == 0 && line.totals.waiting == 0)
    }

    @Test("Who gives up leaves the line, and it goes on")
    func leaving() async throws {
        let line = RenderLine(width: 1, depth: 5)
        let gate = Gate()
        let first = Task { try? await line.perform { () throws(RequestFailure) in await gate.pass() } }
        while gate.count == 0 { await Task.yield() }
        let second = Task { () -> Int? in
            do throws(RequestFailure) {
                return try await line.perform { () throws(RequestFailure) in 2 }
            } catch {
                return nil
            }
        }
        while line.totals.waiting == 0 { await Task.yield() }
        second.cancel()
        #expect(await second.value == nil)
        #expect(line.totals.waiting == 0)
        gate.open()
        _ = await first.value
        #expect(try await line.perform { () throws(RequestFailure) in 3 } == 3)
    }

    @Test("A failure leaves the line too")
    func failing() async throws {
        let line = RenderLine(width: 1, depth: 0)
        for _ in 0..<3 {
            await #expect(throws: RequestFailure(500, "no")) {
                try await line.perform { () throws(RequestFailure) in throw RequestFailure(500, "no") }
            }
        }
        #expect(line.totals == (0, 0, 0))
    }
}
