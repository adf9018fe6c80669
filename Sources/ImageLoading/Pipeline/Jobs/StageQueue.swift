/// The running and waiting jobs of a stage.
///
/// Serves by priority, then in the order of requests or its reverse. Some places are reserved for requests of at least
/// normal priority.
struct StageQueue {
    struct Waiter {
        let job: JobID
        /// The position in the order of requests.
        let sequence: UInt64
        let continuation: CheckedContinuation<Place, any Error>
    }

    /// The right to run at a stage.
    struct Place: Sendable {
        let stage: ImagePipeline.Stage
        /// Whether the job's priority was below normal.
        let isInBackground: Bool
    }

    /// A job that may start, with its place.
    struct Turn {
        let waiter: Waiter
        let place: Place
    }

    private let stage: ImagePipeline.Stage
    private let limits: ImagePipeline.Queue
    /// Whether jobs may start at all.
    var isOpen = true
    private var running = 0
    private var runningInBackground = 0
    /// The waiting jobs, indexed by priority.
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

    /// Takes a place for a job of `priority`; nil if none is free.
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

    /// Takes the next job out of the queue, with a place; nil if none can start.
    mutating func next() -> Turn? {
        guard let line = lines.lastIndex(where: { $0.count > 0 }),
            let place = ImageRequest.Priority(rawValue: line).flatMap({ start($0) })
        else { return nil }
        let waiter = limits.order == .firstInFirstOut ? lines[line].removeFirst() : lines[line].removeLast()
        return Turn(waiter: waiter, place: place)
    }
}

extension ImagePipeline.Stage {
    /// The index of the stage's queue. The cache has none.
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
    /// The waiting jobs of one priority, in the order of requests.
    struct Line {
        /// Nil before `head`, where jobs have been served, until those are removed.
        private var waiters: [Waiter?] = []
        private var head = 0

        var count: Int { waiters.count - head }

        mutating func insert(_ waiter: Waiter) { waiters.insert(waiter, at: position(of: waiter.sequence)) }

        /// Removes a job; nil if it isn't waiting.
        mutating func remove(_ sequence: UInt64, _ job: JobID) -> Waiter? {
            var index = position(of: sequence)
            // A job has the same sequence number as those that it waits for.
            while index < waiters.count, let waiter = waiters[index], waiter.sequence == sequence {
                if waiter.job == job { return waiters.remove(at: index) }
                index += 1
            }
            return nil
        }

        /// Removes the first job; there must be one.
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

        /// Removes the last job; there must be one.
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
