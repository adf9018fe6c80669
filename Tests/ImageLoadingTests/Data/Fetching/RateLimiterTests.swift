import ImageLoading
import ImageLoadingTestSupport
import Synchronization
import Testing

@Suite("The rate limiter", .timeLimit(.minutes(15)))
struct RateLimiterTests {
    @Test("A burst passes at once, then the rate applies")
    func letsABurstThroughAndThenARate() async throws {
        let clock = TestClock()
        let limiter = RateLimiter(rate: 10, burst: 3, clock: clock.clock)
        for _ in 0..<3 { try await limiter.wait() }
        #expect(clock.sleeps.isEmpty)
        for _ in 0..<20 { try await limiter.wait() }
        let passed = clock.clock.now() / .seconds(1)
        #expect(abs(passed - 2) < 1e-6)
        // A quiet time gives a burst back, but no more than one.
        clock.advance(by: .seconds(100))
        let sleepCount = clock.sleeps.count
        for _ in 0..<3 { try await limiter.wait() }
        #expect(clock.sleeps.count == sleepCount)
        try await limiter.wait()
        #expect(clock.sleeps.count == sleepCount + 1)
    }

    @Test("Requests pass in order, and cancelled ones are skipped")
    func letsThroughInOrderAndForgetsTheCancelled() async throws {
        let clock = TestClock(isHolding: true)
        let limiter = RateLimiter(rate: 1, burst: 1, clock: clock.clock)
        try await limiter.wait()
        let (passes, pass) = AsyncStream<Int>.makeStream()
        var tasks: [Task<Bool, Never>] = []
        for number in 0..<4 {
            tasks.append(
                Task {
                    do {
                        try await limiter.wait()
                        pass.yield(number)
                        return true
                    } catch { return error is CancellationError ? false : true }
                })
            // In line before the next one comes.
            while limiter.waitingCount < number + 1 { await Task.yield() }
        }
        tasks[0].cancel()
        tasks[2].cancel()
        #expect(await tasks[0].value == false)
        #expect(await tasks[2].value == false)
        var passed = passes.makeAsyncIterator()
        await clock.waitForSleeps(1)
        clock.advance(by: .seconds(1))
        #expect(await passed.next() == 1)
        await clock.waitForSleeps(2)
        clock.advance(by: .seconds(1))
        #expect(await passed.next() == 3)
        #expect(limiter.waitingCount == 0)
    }

    @Test("A cancelled task throws immediately")
    func throwsAtOnceWhenCancelledBefore() async {
        let limiter = RateLimiter(rate: 1, burst: 1, clock: TestClock(isHolding: true).clock)
        let task = Task {
            await withTaskCancellationHandler {
                while !Task.isCancelled { await Task.yield() }
            } onCancel: {
            }
            try await limiter.wait()
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
