internal import Dispatch
internal import ImageLoading
internal import Raster
internal import Synchronization

/// A queue in which views' images are processed, the last requested first, since it is most likely on screen.
///
/// By default four run concurrently. Equal requests share one piece of work. Work leaves the queue when all its
/// requests are cancelled; once started it is completed, for the cache.
public final class EffectQueue: Sendable {
    /// The default queue of views.
    public static let shared = EffectQueue()

    typealias Outcome = Result<ProcessedImage, ImageError>

    private struct Job {
        let key: ImageCacheKey
        let work: @Sendable () -> Outcome
        /// The number of the latest request for it.
        var number: Int
        var receivers: [Int: @Sendable (Outcome) -> Void] = [:]
        var isRunning = false
    }

    private struct State {
        var width: Int?
        var jobs: [Int: Job] = [:]
        /// The newest job for each key.
        var jobIDs: [ImageCacheKey: Int] = [:]
        /// Jobs that haven't started, by number: the last is next.
        var waiting: [Int] = []
        var runningCount = 0
        var lastID = 0

        mutating func makeID() -> Int {
            lastID += 1
            return lastID
        }

        mutating func line(up id: Int, number: Int) {
            let index = waiting.lastIndex { (jobs[$0]?.number ?? 0) <= number }.map { $0 + 1 } ?? 0
            waiting.insert(id, at: index)
        }

        /// Takes the next job, if there is one and it may start.
        mutating func next() -> Int? {
            guard runningCount < width ?? .max, let id = waiting.popLast() else { return nil }
            runningCount += 1
            jobs[id]?.isRunning = true
            return id
        }

        mutating func forget(_ id: Int) -> Job? {
            guard let job = jobs.removeValue(forKey: id) else { return nil }
            if jobIDs[job.key] == id { jobIDs[job.key] = nil }
            return job
        }
    }

    private let state: Mutex<State>
    private let lastNumber = Atomic(0)

    /// A queue that runs at most `width` jobs concurrently; nil for no limit.
    public init(width: Int? = 4) { state = Mutex(State(width: width.map { max(0, $0) })) }

    /// The largest number of concurrent jobs: 4 by default, nil for no limit, 0 to pause. Running jobs aren't
    /// interrupted.
    public var width: Int? {
        get { state.withLock { $0.width } }
        set {
            state.withLock { $0.width = newValue.map { max(0, $0) } }
            startWaiting()
        }
    }

    /// The number of waiting jobs.
    public var waitingCount: Int { state.withLock { $0.waiting.count } }
    /// The number of running jobs.
    public var runningCount: Int { state.withLock { $0.runningCount } }
}

extension EffectQueue {
    /// A request for a job's result.
    struct Ticket: Sendable {
        let key: ImageCacheKey
        fileprivate let job: Int
        fileprivate let receiver: Int
    }

    /// The number of a new request; later ones are higher.
    func nextNumber() -> Int { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Submits `work`, or joins the same work if it is waiting or running.
    /// - Parameters:
    ///   - number: The number of the request.
    ///   - joins: Whether to accept the result of work requested before.
    ///   - receiver: Called with the result on any thread, unless cancelled before.
    func submit(
        _ key: ImageCacheKey, number: Int, joins: Bool = true, work: @escaping @Sendable () -> Outcome,
        receiver: @escaping @Sendable (Outcome) -> Void
    ) -> Ticket {
        let ticket = state.withLock { state in
            let receiverID = state.makeID()
            if joins, let id = state.jobIDs[key], var job = state.jobs[id] {
                job.receivers[receiverID] = receiver
                let moves = !job.isRunning && number > job.number
                job.number = max(number, job.number)
                state.jobs[id] = job
                if moves {
                    state.waiting.removeAll { $0 == id }
                    state.line(up: id, number: number)
                }
                return Ticket(key: key, job: id, receiver: receiverID)
            }
            let id = state.makeID()
            state.jobs[id] = Job(key: key, work: work, number: number, receivers: [receiverID: receiver])
            state.jobIDs[key] = id
            state.line(up: id, number: number)
            return Ticket(key: key, job: id, receiver: receiverID)
        }
        startWaiting()
        return ticket
    }

    /// Cancels a request. Work without requests leaves the queue, unless it has started.
    func cancel(_ ticket: Ticket) {
        let gone = state.withLock { state in
            let receiver = state.jobs[ticket.job]?.receivers.removeValue(forKey: ticket.receiver)
            guard let job = state.jobs[ticket.job], job.receivers.isEmpty, !job.isRunning else {
                return (receiver, nil as Job?)
            }
            state.waiting.removeAll { $0 == ticket.job }
            return (receiver, state.forget(ticket.job))
        }
        // Closures are released outside the lock.
        withExtendedLifetime(gone) {}
    }

    private func startWaiting() {
        while let id = state.withLock({ $0.next() }) {
            // A serial queue gets its own thread, even if many others are busy or blocked.
            DispatchQueue(label: "tessera.effects", qos: .userInitiated).async { self.run(from: id) }
        }
    }

    /// Runs the job, and then others while there are any.
    private func run(from first: Int) {
        var current: Int? = first
        while let id = current {
            let work = state.withLock { $0.jobs[id]?.work }
            let outcome = work?()
            let (job, next) = state.withLock { state in
                let job = state.forget(id)
                state.runningCount -= 1
                return (job, state.next())
            }
            if let job, let outcome {
                for receiver in job.receivers.values { receiver(outcome) }
            }
            current = next
        }
    }
}
