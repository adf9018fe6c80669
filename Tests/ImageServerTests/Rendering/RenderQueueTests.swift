import ImageFormats
import ImageServer
import TestSupport
import Testing

@Suite("The queue before the renderer")
struct RenderQueueTests {
    @Test("Running and waiting renders are limited, and others are refused with Retry-After")
    func bounds() async throws {
        let queue = RenderQueue(width: 2, depth: 3)
        let gate = TestGate()
        let results = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    do throws(RequestFailure) {
                        return try await queue.perform { () throws(RequestFailure) in
                            await gate.wait()
                            return 200
                        }
                    } catch {
                        return error.retryAfter == nil ? 0 : error.status
                    }
                }
            }
            while queue.totals.refused < 15 { await Task.yield() }
            #expect(queue.totals == (2, 3, 15))
            gate.open()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.count { $0 == 200 } == 5 && results.count { $0 == 503 } == 15)
        #expect(queue.totals.running == 0 && queue.totals.waiting == 0)
    }

    @Test("A cancelled request leaves the queue, which continues")
    func leaving() async throws {
        let queue = RenderQueue(width: 1, depth: 5)
        let gate = TestGate()
        let first = Task { try? await queue.perform { () throws(RequestFailure) in await gate.wait() } }
        while gate.arrivalCount == 0 { await Task.yield() }
        let second = Task { () -> Int? in
            do throws(RequestFailure) {
                return try await queue.perform { () throws(RequestFailure) in 2 }
            } catch {
                return nil
            }
        }
        while queue.totals.waiting == 0 { await Task.yield() }
        second.cancel()
        #expect(await second.value == nil)
        #expect(queue.totals.waiting == 0)
        gate.open()
        _ = await first.value
        #expect(try await queue.perform { () throws(RequestFailure) in 3 } == 3)
    }

    @Test("A failed render leaves the queue")
    func failing() async throws {
        let queue = RenderQueue(width: 1, depth: 0)
        for _ in 0..<3 {
            await #expect(throws: RequestFailure(500, "no")) {
                try await queue.perform { () throws(RequestFailure) in throw RequestFailure(500, "no") }
            }
        }
        #expect(queue.totals == (0, 0, 0))
    }

    // MARK: Costs

    private static let dear = CodingCost(byteCount: 40 << 20, seconds: 4)

    /// Begins a render that lasts until the gate opens; returns when it runs or waits.
    private func begin(_ queue: RenderQueue, _ cost: CodingCost, _ gate: TestGate) async -> Task<Int, Never> {
        let before = queue.totals
        let task = Task { () -> Int in
            do throws(RequestFailure) {
                try await queue.perform(cost) { () throws(RequestFailure) in await gate.wait() }
                return 200
            } catch {
                return error.status
            }
        }
        while queue.totals.running + queue.totals.waiting == before.running + before.waiting { await Task.yield() }
        return task
    }

    @Test("Expensive renders leave slots and memory for cheap ones", arguments: [1, 2, 3, 5, 9])
    func shares(width: Int) async throws {
        let queue = RenderQueue(width: width, depth: 50, byteLimit: 256 << 20)
        let gate = TestGate()
        var tasks: [Task<Int, Never>] = []
        for _ in 0..<8 { tasks.append(await begin(queue, Self.dear, gate)) }
        #expect(queue.totals.running == min(5, max(1, (width - 1) * 3 / 4)))
        #expect(queue.byteCount <= 224 << 20)
        // They pass all that wait.
        for _ in 0..<5 {
            try await queue.perform(CodingCost(byteCount: 20 << 20, seconds: 0.1)) { () throws(RequestFailure) in }
        }
        gate.open()
        for task in tasks { #expect(await task.value == 200) }
        #expect(queue.totals == (0, 0, 0) && queue.byteCount == 0)
    }

    @Test("Memory is bounded at any width")
    func memory() async throws {
        let queue = RenderQueue(width: 16, depth: 50, byteLimit: 128 << 20)
        let gate = TestGate()
        var tasks: [Task<Int, Never>] = []
        for _ in 0..<6 { tasks.append(await begin(queue, Self.dear, gate)) }
        #expect(queue.totals == (2, 4, 0) && queue.byteCount == 80 << 20)
        gate.open()
        for task in tasks { #expect(await task.value == 200) }
    }

    @Test("Renders that never fit are refused at once, by memory and by time")
    func never() async throws {
        let queue = RenderQueue(width: 2, depth: 50, byteLimit: 128 << 20)
        // Counted from each call, so that no pause of the machine takes from it.
        var deadline: ContinuousClock.Instant { .now + .seconds(30) }
        for cost in [
            CodingCost(byteCount: 120 << 20), CodingCost(byteCount: .max), CodingCost(seconds: 31),
            CodingCost(seconds: 21, endsWhenCancelled: false),
        ] {
            do throws(RequestFailure) {
                try await queue.perform(cost, deadline: deadline) { () throws(RequestFailure) in }
                Issue.record("\(cost) is admitted")
            } catch {
                #expect(error.status == 400 && error.message.contains("the limit is"), "\(error.message)")
            }
        }
        try await queue.perform(CodingCost(seconds: 20), deadline: deadline) { () throws(RequestFailure) in }
    }

    @Test("Retry-After of cheap renders is divided by the queue's width")
    func retryAfterOfCheapRenders() async throws {
        let queue = RenderQueue(width: 4, depth: 20)
        let (first, others) = (TestGate(), TestGate())
        var tasks = [await begin(queue, CodingCost(), first)]
        for _ in 0..<3 { tasks.append(await begin(queue, CodingCost(), others)) }
        var deadline: ContinuousClock.Instant
        var late: Task<RequestFailure?, Never>
        // Again if the machine pauses until the deadline.
        repeat {
            deadline = .now + .milliseconds(100)
            late = Task { [deadline] in
                do throws(RequestFailure) {
                    try await queue.perform(CodingCost(), deadline: deadline) { () throws(RequestFailure) in }
                    return nil
                } catch {
                    return error
                }
            }
            while queue.totals.waiting == 0, ContinuousClock.now <= deadline { await Task.yield() }
        } while queue.totals.waiting == 0
        // Six seconds of work for four at a time.
        for _ in 0..<12 { tasks.append(await begin(queue, CodingCost(seconds: 0.5), others)) }
        while ContinuousClock.now <= deadline { await Task.yield() }
        first.open()
        let failure = await late.value
        #expect(failure?.status == 503 && (1...2).contains(failure?.retryAfter ?? 0), "\(failure as Any)")
        others.open()
        for task in tasks { #expect(await task.value == 200) }
    }

    @Test("Retry-After is estimated from the waiting work")
    func retryAfter() async throws {
        let queue = RenderQueue(width: 1, depth: 3, byteLimit: 256 << 20)
        let gate = TestGate()
        var tasks: [Task<Int, Never>] = []
        for _ in 0..<4 { tasks.append(await begin(queue, Self.dear, gate)) }
        func refusal(_ seconds: Double) async -> RequestFailure? {
            do throws(RequestFailure) {
                try await queue.perform(Self.dear, deadline: .now + .seconds(seconds)) { () throws(RequestFailure) in }
                return nil
            } catch {
                return error
            }
        }
        // Four of 4 s each are before it: three that wait, and one that has just begun.
        let full = await refusal(100)
        #expect(full?.status == 503 && (12...16).contains(full?.retryAfter ?? 0), "\(full as Any)")
        tasks.removeLast().cancel()
        while queue.totals.waiting > 2 { await Task.yield() }
        // There would be a place to wait, but no time.
        let late = await refusal(10)
        #expect(late?.status == 503 && (8...12).contains(late?.retryAfter ?? 0), "\(late as Any)")
        gate.open()
        for task in tasks { #expect(await task.value == 200) }
    }
}
