import Dispatch
import Raster
import Synchronization
import Testing

@Suite("The executor")
struct ImageExecutorTests {
    /// How many are at work now, and the most that ever were.
    final class Counter: Sendable {
        private let state = Mutex((now: 0, most: 0, done: 0))

        func enter() {
            state.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
        }

        func leave() {
            state.withLock {
                $0.now -= 1
                $0.done += 1
            }
        }

        var most: Int { state.withLock { $0.most } }
        var done: Int { state.withLock { $0.done } }
    }

    final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    /// What came when.
    final class Log: Sendable {
        private let state = Mutex<[Int]>([])

        func append(_ entry: Int) { state.withLock { $0.append(entry) } }

        var entries: [Int] { state.withLock { $0 } }
    }

    @Test("No more than its width run concurrently, and all finish", arguments: [1, 2, 3])
    func width(width: Int) async {
        let (executor, counter) = (ImageExecutor(width: width), Counter())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<1000 {
                group.addTask(executorPreference: executor) {
                    counter.enter()
                    // Long enough for others to come in between.
                    var noise = Noise(1)
                    for _ in 0..<2000 { _ = noise.next() }
                    counter.leave()
                }
            }
        }
        #expect(counter.most <= width)
        #expect(counter.done == 1000)
    }

    @Test("A width below 1 is 1")
    func smallest() async {
        let executor = ImageExecutor(width: 0)
        #expect(executor.width == 1)
        let answer = await withTaskExecutorPreference(executor) { 42 }
        #expect(answer == 42)
    }

    @Test("With a width of 1, work runs in order")
    func order() async {
        let executor = ImageExecutor(width: 1)
        let log = Log()
        let gate = DispatchSemaphore(value: 0)
        await withTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: executor) { Self.wait(gate) }
            for index in 0..<20 {
                group.addTask(executorPreference: executor) { log.append(index) }
            }
            gate.signal()
        }
        #expect(log.entries == Array(0..<20))
    }

    @Test("The cooperative pool continues while all its threads are blocked")
    func cooperativePool() async {
        let executor = ImageExecutor(width: 2 * ImageExecutor.processorCount)
        let gate = DispatchSemaphore(value: 0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<executor.width { group.addTask(executorPreference: executor) { Self.wait(gate) } }
            // Runs on the pool; if the executor's work had taken its threads, nobody would open the gate.
            await Task { for _ in 0..<executor.width { gate.signal() } }.value
        }
    }

    @Test("Another executor's work continues while all processors compute", .timeLimit(.minutes(1)))
    func otherExecutor() async {
        let (computing, other) = (ImageExecutor(width: 2 * ImageExecutor.processorCount), ImageExecutor(width: 1))
        let flag = Flag()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<computing.width {
                group.addTask(executorPreference: computing) { while !flag.isSet.load(ordering: .relaxed) {} }
            }
            group.addTask(executorPreference: other) { flag.isSet.store(true, ordering: .relaxed) }
        }
    }

    private static func wait(_ gate: DispatchSemaphore) { gate.wait() }
}
