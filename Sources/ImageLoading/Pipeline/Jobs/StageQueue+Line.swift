extension StageQueue {
    /// Those who wait for one stage at one priority, in the order of the requests.
    struct Line {
        /// Nil where those were who have been served first, until there are too many of them.
        private var waiters: [Waiter?] = []
        private var head = 0

        /// How many wait.
        var count: Int { waiters.count - head }

        /// Puts a job in its place.
        mutating func insert(_ waiter: Waiter) { waiters.insert(waiter, at: position(of: waiter.sequence)) }

        /// Takes a job out; nil where it doesn't wait.
        mutating func remove(_ sequence: UInt64, _ job: JobID) -> Waiter? {
            var index = position(of: sequence)
            // A job and those that it waits for were asked for at the same time.
            while index < waiters.count, let waiter = waiters[index], waiter.sequence == sequence {
                if waiter.job == job { return waiters.remove(at: index) }
                index += 1
            }
            return nil
        }

        /// Takes out the first, who is there.
        mutating func removeFirst() -> Waiter {
            let first = waiters[head]!
            waiters[head] = nil
            head += 1
            if head * 2 > waiters.count {
                waiters.removeFirst(head)
                head = 0
            }
            return first
        }

        /// Takes out the last, who is there.
        mutating func removeLast() -> Waiter { waiters.removeLast()! }

        private func position(of sequence: UInt64) -> Int {
            var (low, high) = (head, waiters.count)
            while low < high {
                let middle = (low + high) / 2
                if waiters[middle]!.sequence < sequence { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }
}
