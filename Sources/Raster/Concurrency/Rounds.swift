internal import Dispatch
internal import Platform
internal import Synchronization

/// Rounds of jobs on several threads, with work in between that one thread does alone.
///
/// The threads stay awake from one round to the next. Waking a thread takes as long as decoding some thousand pixels, and
/// a virtual machine's scheduler tends to put one that slept behind the thread that woke it, on the same processor. There it may
/// stay for 10 ms while another processor idles, so threads that begin on the first one's leave it.
package enum Rounds {
    /// Runs rounds until `prepare` returns nil, on at most `threadCount` threads, and on fewer while others run too.
    ///
    /// Any of the threads may run `prepare`, always alone; each sees what the calls before it changed.
    /// - Parameters:
    ///   - prepare: Finishes the round before, and returns the number of the next one's jobs, from 1 to a million; nil at
    ///     the end.
    ///   - job: Does one job of the round; called concurrently.
    package static func perform(threadCount: Int, _ prepare: () -> Int?, _ job: (Int) -> Void) {
        let share = ProcessorShare()
        defer { withExtendedLifetime(share) {} }
        let threadCount = min(threadCount, share.threadCount)
        guard threadCount > 1 else {
            while let count = prepare() {
                for index in 0..<count { job(index) }
            }
            return
        }
        guard let count = prepare() else { return }
        let board = Board(count)
        withoutActuallyEscaping(prepare) { prepare in
            withoutActuallyEscaping(job) { job in
                // One thread at a time calls `prepare`, and each sees what the one before did. The jobs of a round are
                // independent, as the caller promises.
                nonisolated(unsafe) let (prepare, job) = (prepare, job)
                let place = ThreadPlace()
                // Where threads are busy elsewhere, the first does everything, and the others find nothing left.
                DispatchQueue.concurrentPerform(iterations: threadCount) { _ in
                    place.leave()
                    board.work(prepare, job)
                }
            }
        }
    }

    /// Runs a single round of `jobCount` jobs, one at least, as `perform(threadCount:_:_:)` does.
    package static func perform(threadCount: Int, jobCount: Int, _ job: (Int) -> Void) {
        var isDone = false
        perform(threadCount: min(threadCount, jobCount)) {
            defer { isDone = true }
            return isDone ? nil : jobCount
        } _: {
            job($0)
        }
    }

    /// The jobs that are left of a round.
    private final class Board: Sendable {
        /// From the top, the number of the round in 24 bits, its jobs in 20, and the next of them in 20. No jobs: the end.
        private let state: Atomic<UInt64>
        private let unfinishedCount: Atomic<Int>
        private static let mask: UInt64 = (1 << 20) - 1

        init(_ count: Int) {
            unfinishedCount = Atomic(count)
            state = Atomic(UInt64(count) << 20)
        }

        func work(_ prepare: () -> Int?, _ job: (Int) -> Void) {
            var waits = 0
            while true {
                let seen = state.load(ordering: .acquiring)
                let (count, next) = (seen >> 20 & Self.mask, seen & Self.mask)
                if count == 0 { return }
                guard next < count else {
                    wait(waits)
                    waits += 1
                    continue
                }
                guard
                    state.compareExchange(
                        expected: seen, desired: seen + 1, ordering: .acquiringAndReleasing
                    ).exchanged
                else { continue }
                waits = 0
                job(Int(next))
                guard unfinishedCount.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 else {
                    continue
                }
                let jobs = prepare() ?? 0
                precondition(jobs <= Int(Self.mask))
                unfinishedCount.store(jobs, ordering: .relaxed)
                state.store((seen >> 40 &+ 1) << 40 | UInt64(jobs) << 20, ordering: .releasing)
            }
        }

        /// Waits a moment: so briefly at first that the processor doesn't fall asleep.
        private func wait(_ round: Int) {
            if round < 200 { sched_yield() } else { usleep(100) }
        }
    }
}
