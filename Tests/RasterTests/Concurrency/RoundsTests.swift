import Raster
import Synchronization
import Testing

@Suite("Rounds of jobs")
struct RoundsTests {
    @Test("Each job of each round is done once, after the work before it and before the work behind it")
    func order() {
        for threads in [1, 2, 3, 8] {
            let running = Atomic<Int>(0)
            let done = Mutex<[[Int]]>([])
            var (round, overlaps) = (0, 0)
            ProcessorShare.$processorCount.withValue(1 << 10) {
                Rounds.perform(threadCount: threads) {
                    if running.load(ordering: .acquiring) != 0 { overlaps += 1 }
                    round += 1
                    done.withLock { $0.append([]) }
                    return round <= 300 ? 1 + round * 7 % 20 : nil
                } _: { index in
                    running.wrappingAdd(1, ordering: .acquiringAndReleasing)
                    // What the last call of `prepare` changed is seen.
                    let count = 1 + round * 7 % 20
                    done.withLock { $0[round - 1].append(index < count ? index : -1) }
                    running.wrappingSubtract(1, ordering: .acquiringAndReleasing)
                }
            }
            let rounds = done.withLock { $0 }
            #expect(overlaps == 0, "\(threads) threads")
            #expect(rounds.count == 301 && rounds[300].isEmpty)
            for number in 1...300 { #expect(rounds[number - 1].sorted() == Array(0..<(1 + number * 7 % 20))) }
        }
    }

    @Test("Without a first round nothing is done")
    func none() {
        Rounds.perform(threadCount: 4) {
            nil
        } _: { _ in
            Issue.record("a job was done")
        }
    }

    @Test("Rounds within the jobs of others end, and those of many tasks too")
    func nesting() async {
        let sum = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let count = Atomic<Int>(0)
                    var round = 0
                    Rounds.perform(threadCount: 4) {
                        round += 1
                        return round <= 5 ? 4 : nil
                    } _: { _ in
                        var inner = 0
                        Rounds.perform(threadCount: 4) {
                            inner += 1
                            return inner <= 5 ? 4 : nil
                        } _: { _ in
                            count.wrappingAdd(1, ordering: .relaxed)
                        }
                    }
                    return count.load(ordering: .relaxed)
                }
            }
            return await group.reduce(0, +)
        }
        #expect(sum == 8 * 5 * 4 * 5 * 4)
    }
}
