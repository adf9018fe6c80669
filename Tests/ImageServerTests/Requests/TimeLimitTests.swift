import ImageServer
import Testing

@Suite("Time limits of requests")
struct TimeLimitTests {
    private static let late = RequestFailure(504, "late")

    /// Waits until it is cancelled, as a fetch does from a server that says nothing, and fails.
    @Sendable private static func wait() async throws(RequestFailure) {
        try? await Task.sleep(for: .seconds(3600))
        throw RequestFailure(503, "cancelled")
    }

    @Test("A body that takes too long is cancelled, and the limit's failure thrown")
    func late() async {
        await #expect { try await withTimeLimit(.milliseconds(5), orThrow: Self.late, Self.wait) } throws: {
            ($0 as? RequestFailure)?.status == 504
        }
    }

    @Test("A caller that is cancelled gets the body's failure, not the limit's")
    func cancellation() async {
        // Limit and body end at the same moment, and either may be noticed first.
        for _ in 0..<200 {
            let request = Task { try await withTimeLimit(.seconds(3600), orThrow: Self.late, Self.wait) }
            request.cancel()
            let failure = await request.result
            #expect(throws: RequestFailure.self) { try failure.get() }
            if case .failure(let failure as RequestFailure) = failure { #expect(failure.status == 503) }
        }
    }

    @Test("A body in time gives its value")
    func value() async throws {
        #expect(try await withTimeLimit(.seconds(3600), orThrow: Self.late) { () throws(RequestFailure) in 7 } == 7)
    }

    @Test("Nothing is kept of limits whose work has ended in time")
    func keepsNothing() async throws {
        let limits = TimeLimits()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    try await withTimeLimit(.seconds(3600), orThrow: Self.late, in: limits) {
                        () throws(RequestFailure) in
                        while limits.count == 0 { await Task.yield() }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(limits.count == 0)
    }

    @Test("Each limit ends its own work, whatever the order in which they began")
    func order() async throws {
        let limits = TimeLimits()
        let statuses = await withTaskGroup(of: (Int, Int?).self) { group in
            for milliseconds in [3_600_000, 40, 5, 3_600_001, 20, 60] {
                group.addTask {
                    do {
                        try await withTimeLimit(.milliseconds(milliseconds), orThrow: Self.late, in: limits) {
                            () throws(RequestFailure) in
                            guard milliseconds < 1000 else { return }
                            try await Self.wait()
                        }
                        return (milliseconds, nil)
                    } catch {
                        return (milliseconds, (error as? RequestFailure)?.status)
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(statuses == [5: 504, 20: 504, 40: 504, 60: 504])
        #expect(limits.count == 0)
    }
}
