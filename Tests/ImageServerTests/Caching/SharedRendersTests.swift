import ImageServer
import Synchronization
import TestSupport
import Testing

@Suite("Equal requests in flight")
struct SharedRendersTests {
    private final class Count: Sendable {
        private let value = Atomic(0)
        var current: Int { value.load(ordering: .relaxed) }
        func add() { value.wrappingAdd(1, ordering: .relaxed) }
    }

    @Test("Concurrent requests share one render and its result")
    func shared() async throws {
        let renders = SharedRenders<Int>()
        let made = Count()
        let gate = TestGate()
        let results = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await renders.value(for: "key") { () throws(RequestFailure) in
                        made.add()
                        await gate.wait()
                        return 7
                    }
                }
            }
            #expect(await eventually(every: .milliseconds(1)) { renders.waiterCount(for: "key") == 50 })
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results == Array(repeating: 7, count: 50))
        #expect(made.current == 1)
    }

    @Test("A failure is shared by its waiters, and not kept")
    func failing() async throws {
        let renders = SharedRenders<Int>()
        await #expect(throws: RequestFailure(404, "no")) {
            try await renders.value(for: "key") { () throws(RequestFailure) in throw RequestFailure(404, "no") }
        }
        #expect(try await renders.value(for: "key") { () throws(RequestFailure) in 1 } == 1)
    }

    @Test("A render is cancelled when its last waiter leaves")
    func cancelling() async throws {
        let renders = SharedRenders<Bool>()
        let gate = TestGate()
        let make: @Sendable () async throws(RequestFailure) -> Bool = { () throws(RequestFailure) in
            await gate.wait()
            return Task.isCancelled
        }
        let first = Task { try await renders.value(for: "key", make) }
        let second = Task { try await renders.value(for: "key", make) }
        #expect(await eventually(every: .milliseconds(1)) { renders.waiterCount(for: "key") == 2 })
        first.cancel()
        gate.open()
        #expect(try await second.value == false)
        #expect(gate.arrivalCount == 1)

        // Its gate stays closed: only being cancelled ends it.
        let other = TestGate()
        let alone = Task {
            try await renders.value(for: "key") { () throws(RequestFailure) in
                await other.wait()
                return Task.isCancelled
            }
        }
        #expect(await eventually(every: .milliseconds(1)) { other.arrivalCount == 1 })
        alone.cancel()
        #expect(try await alone.value == true)
    }
}
