/// Who may work at a stage and who has to wait.
///
/// Served by priority, among equals in the order of the requests, or in reverse. Some of the places are kept free for
/// work that somebody waits for.
struct StageQueue {
    struct Waiter {
        let job: JobID
        /// Orders jobs by when they were asked for.
        let sequence: UInt64
        let continuation: CheckedContinuation<Place, any Error>
    }

    /// What a job has while it works.
    struct Place: Sendable {
        let stage: ImagePipeline.Stage
        /// Whether it was given to a job that nobody waits for.
        let isInBackground: Bool
    }

    /// A job that may begin.
    struct Turn {
        let waiter: Waiter
        let place: Place
    }

    private let stage: ImagePipeline.Stage
    private let limits: ImagePipeline.Queue
    /// Whether anybody may begin.
    var isOpen = true
    private var running = 0
    private var runningInBackground = 0
    /// By priority.
    private var lines: [Line]

    init(_ stage: ImagePipeline.Stage, _ limits: ImagePipeline.Queue) {
        self.stage = stage
        self.limits = limits
        lines = ImageRequest.Priority.allCases.map { _ in Line() }
    }

    var waitingCount: Int { lines.reduce(0) { $0 + $1.count } }
    var runningCount: Int { running }

    private static func isBackground(_ priority: ImageRequest.Priority) -> Bool { priority < .normal }

    private func hasRoom(for priority: ImageRequest.Priority) -> Bool {
        guard isOpen, running < limits.width else { return false }
        return !Self.isBackground(priority) || runningInBackground < max(1, limits.width - limits.reservedWidth)
    }

    /// Gives a place to a job of `priority` if there is one.
    mutating func start(_ priority: ImageRequest.Priority) -> Place? {
        guard hasRoom(for: priority) else { return nil }
        running += 1
        if Self.isBackground(priority) { runningInBackground += 1 }
        return Place(stage: stage, isInBackground: Self.isBackground(priority))
    }

    mutating func add(_ waiter: Waiter, _ priority: ImageRequest.Priority) { lines[priority.rawValue].insert(waiter) }

    mutating func remove(_ sequence: UInt64, _ job: JobID, _ priority: ImageRequest.Priority) -> Waiter? {
        lines[priority.rawValue].remove(sequence, job)
    }

    mutating func finish(_ place: Place) {
        running -= 1
        if place.isInBackground { runningInBackground -= 1 }
    }

    /// The job whose turn it is, with a place; nil where none can start.
    mutating func next() -> Turn? {
        guard let line = lines.lastIndex(where: { $0.count > 0 }),
            let place = ImageRequest.Priority(rawValue: line).flatMap({ start($0) })
        else { return nil }
        let waiter = limits.order == .firstInFirstOut ? lines[line].removeFirst() : lines[line].removeLast()
        return Turn(waiter: waiter, place: place)
    }
}

extension ImagePipeline.Stage {
    /// Where a graph has its line. Nobody stands in line for the cache.
    var line: Int {
        switch self {
        case .data: 0
        case .decode: 1
        case .process: 2
        case .encode: 3
        case .cache: preconditionFailure("there is no line for the cache")
        }
    }
}

extension StageQueue {
    /// Those who wait for one stage at one priority, in the order of the requests.
    struct Line {
        /// Nil where those were who have been served first, until there are too many of them.
        private var waiters: [Waiter?] = []
        private var head = 0

        var count: Int { waiters.count - head }

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
