/// Who may work at a stage and who has to wait.
///
/// Served by priority, among equals in the order of the requests, or in reverse. Some of the places are kept free for
/// work that somebody waits for.
struct StageQueue {
    /// A job that waits for its turn.
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
    /// By priority, each in the order of the requests; slices, which give up their first without moving the rest.
    private var waiting: [ArraySlice<Waiter>]

    init(_ stage: ImagePipeline.Stage, _ limits: ImagePipeline.Queue) {
        self.stage = stage
        self.limits = limits
        waiting = ImageRequest.Priority.allCases.map { _ in [] }
    }

    /// How many jobs wait.
    var waitingCount: Int { waiting.reduce(0) { $0 + $1.count } }
    /// How many jobs work.
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

    /// Puts a job in line.
    mutating func add(_ waiter: Waiter, _ priority: ImageRequest.Priority) {
        let line = priority.rawValue
        waiting[line].insert(waiter, at: position(of: waiter.sequence, in: waiting[line]))
    }

    /// Takes a job out of the line.
    mutating func remove(_ sequence: UInt64, _ job: JobID, _ priority: ImageRequest.Priority) -> Waiter? {
        let line = priority.rawValue
        var index = position(of: sequence, in: waiting[line])
        // A job and those that it waits for were asked for at the same time.
        while index < waiting[line].endIndex, waiting[line][index].sequence == sequence {
            if waiting[line][index].job == job { return waiting[line].remove(at: index) }
            index += 1
        }
        return nil
    }

    private func position(of sequence: UInt64, in line: ArraySlice<Waiter>) -> Int {
        var (low, high) = (line.startIndex, line.endIndex)
        while low < high {
            let middle = (low + high) / 2
            if line[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Takes back a place.
    mutating func finish(_ place: Place) {
        running -= 1
        if place.isInBackground { runningInBackground -= 1 }
    }

    /// The job whose turn it is, with a place; nil where none can start.
    mutating func next() -> Turn? {
        for priority in ImageRequest.Priority.allCases.reversed() {
            guard !waiting[priority.rawValue].isEmpty else { continue }
            guard let place = start(priority) else { return nil }
            let line = priority.rawValue
            let waiter = limits.order == .firstInFirstOut ? waiting[line].removeFirst() : waiting[line].removeLast()
            return Turn(waiter: waiter, place: place)
        }
        return nil
    }
}
