import ImageServer
import Synchronization
import Testing

@Suite("Equal requests in flight")
struct SharedRendersTests {
    private final class Count: Sendable {
        private let value = Atomic(0)
        var current: Int { value.load(ordering: .relaxed) }
        func add() { value.wrappingAdd(1, ordering: .relaxed) }
    }

    @Test("They are made once, and each gets the result")
    func shared() async throws {
        let renders = SharedRenders<Int>()
        let made = Count()
        let results = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await renders.value(for: "key") { () throws(RequestFailure) in
                        made.add()
                        try? await Task.sleep(for: .milliseconds(100))
                        return 7
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results == Array(repeating: 7, count: 50))
        #expect(made.current == 1)
    }

    @Test("A failure is everybody's, and forgotten")
    func failing() async throws {
        let renders = SharedRenders<Int>()
        await #expect(throws: RequestFailure(404, "no")) {
            try await renders.value(for: "key") { () throws(RequestFailure) in throw RequestFailure(404, "no") }
        }
        #expect(try await renders.value(for: "key") { () throws(RequestFailure) in 1 } == 1)
    }

    @Test("When nobody waits any more it is cancelled; as long as one does, it isn't")
    func cancelling() async throws {
        let renders = SharedRenders<Bool>()
        let started = Count()
        let make: @Sendable () async throws(RequestFailure) -> Bool = { () throws(RequestFailure) in
            started.add()
            try? await Task.sleep(for: .milliseconds(300))
            return Task.isCancelled
        }
        let first = Task { try await renders.value(for: "key", make) }
        while started.current == 0 { await Task.yield() }
        let second = Task { try await renders.value(for: "key", make) }
        try await Task.sleep(for: .milliseconds(50))
        first.cancel()
        #expect(try await second.value == false)
        #expect(started.current == 1)

        let alone = Task { try await renders.value(for: "key", make) }
        while started.current == 1 { await Task.yield() }
        alone.cancel()
        #expect(try await alone.value == true)
    }
}
