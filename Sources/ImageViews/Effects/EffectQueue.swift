internal import Dispatch
internal import ImageLoading
internal import Raster
internal import Synchronization

/// The line in which views' images are processed: four at a time, and what was asked for last comes first, since that is
/// what somebody looks at.
///
/// Equal work is done once for all who wait for it. What nobody waits for any longer leaves the line; what is being done
/// is done to its end, for the cache.
public final class EffectQueue: Sendable {
    /// The queue that views share unless they are given their own.
    public static let shared = EffectQueue()

    typealias Outcome = Result<ProcessedImage, ImageError>

    private struct Job {
        let key: ImageCacheKey
        let work: @Sendable () -> Outcome
        /// When it was asked for, last.
        var number: Int
        var receivers: [Int: @Sendable (Outcome) -> Void] = [:]
        var isRunning = false
    }

    private struct State {
        var width: Int?
        var jobs: [Int: Job] = [:]
        /// The newest job for each key.
        var jobIDs: [ImageCacheKey: Int] = [:]
        /// Jobs that haven't begun, by when they were asked for: the last comes next.
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

        /// The job to begin with now, if there is one and a place for it.
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

    /// A queue that does `width` pieces of work at a time; nil for as many as there are.
    public init(width: Int? = 4) { state = Mutex(State(width: width.map { max(0, $0) })) }

    /// How many pieces of work are done at a time: 4 unless set, nil for as many as there are, 0 for none until it is set
    /// again. What is being done isn't interrupted.
    public var width: Int? {
        get { state.withLock { $0.width } }
        set {
            state.withLock { $0.width = newValue.map { max(0, $0) } }
            startWaiting()
        }
    }

    /// How many pieces of work wait for their turn.
    public var waitingCount: Int { state.withLock { $0.waiting.count } }
    /// How many are being done.
    public var runningCount: Int { state.withLock { $0.runningCount } }
}

extension EffectQueue {
    /// Somebody who waits for a piece of work.
    struct Ticket: Sendable {
        let key: ImageCacheKey
        fileprivate let job: Int
        fileprivate let receiver: Int
    }

    /// A number for something that is asked for now; later ones are higher.
    func nextNumber() -> Int { lastNumber.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Has `work` done, or waits for the same work that is in line or under way.
    /// - Parameters:
    ///   - number: When it was asked for.
    ///   - joins: Whether work that was asked for before will do.
    ///   - receiver: Called with what came of it, on any thread, unless cancelled before.
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

    /// Waits no longer. Work that nobody waits for leaves the line, unless it has begun.
    func cancel(_ ticket: Ticket) {
        let gone = state.withLock { state in
            let receiver = state.jobs[ticket.job]?.receivers.removeValue(forKey: ticket.receiver)
            guard let job = state.jobs[ticket.job], job.receivers.isEmpty, !job.isRunning else {
                return (receiver, nil as Job?)
            }
            state.waiting.removeAll { $0 == ticket.job }
            return (receiver, state.forget(ticket.job))
        }
        // What they hold isn't let go of under the lock.
        withExtendedLifetime(gone) {}
    }

    private func startWaiting() {
        while let id = state.withLock({ $0.next() }) {
            // A serial queue has a thread of its own, however many others are busy or blocked.
            DispatchQueue(label: "tessera.effects", qos: .userInitiated).async { self.run(from: id) }
        }
    }

    /// Does the job, and others after it for as long as there are any.
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
