internal import Synchronization

/// All work of a pipeline: jobs, who waits for them, and the lines at the stages.
///
/// Whatever changes does so in one step under one lock: who cancels or changes a priority sees the effect when the call
/// returns, down to the last job. Nothing of the caller's runs under the lock.
final class JobGraph: Sendable {
    struct State {
        var jobs: [JobID: Job] = [:]
        var index: [JobKey: Job] = [:]
        var tasks: [Int: Subscription] = [:]
        /// The line of each stage, by its `line`.
        var queues: [StageQueue]
        var lastNumber: UInt64 = 0
        var undecodedByteCount = 0
        var isInvalidated = false

        mutating func makeNumber() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }
    }

    /// Somebody's waiting for a job.
    struct Subscription: Sendable {
        let number: UInt64
        let job: JobID
        /// Whether the job was there before.
        let isJoined: Bool
    }

    let state: Mutex<State>

    /// How many bytes may be there without being decoded for a further load to begin.
    let maximumUndecodedByteCount: Int

    /// Whether what two ask for is done once.
    let sharesJobs: Bool

    /// A graph without jobs.
    /// - Parameter queues: The lines, in the order of the stages that have one.
    init(_ queues: [StageQueue], maximumUndecodedByteCount: Int, sharesJobs: Bool = true) {
        self.maximumUndecodedByteCount = maximumUndecodedByteCount
        self.sharesJobs = sharesJobs
        state = Mutex(State(queues: queues))
    }

    /// Makes somebody wait for the job of `key`, which is begun with `run` where there is none.
    /// - Parameters:
    ///   - priority: How urgent it is to somebody outside; a job's subscription is as urgent as the job.
    ///   - run: Nil for who waits only for what is there already.
    /// - Returns: Nil where there is nothing to wait for, in a pipeline that was invalidated, and where the job that waits
    ///   was cancelled.
    /// - Throws: `circularRequest` where the job waits, directly or through others, for who is to wait for it.
    func subscribe(
        to key: JobKey, _ target: Job.Subscriber.Target, priority: ImageRequest.Priority,
        run: (@Sendable (JobID) async -> Void)? = nil
    ) throws(ImagePipeline.Error) -> Subscription? {
        let caller = target.consumer == nil ? JobContext.caller(in: self) : nil
        var isCircular = false
        let result = change { state, effects -> Subscription? in
            guard !state.isInvalidated else { return nil }
            let consumer = target.consumer.flatMap { state.jobs[$0] }
            // A job that was cancelled meanwhile has no use for results.
            if consumer == nil, target.consumer != nil { return nil }
            let known = sharesJobs ? state.index[key] : nil
            if known == nil, run == nil { return nil }
            if known != nil || !sharesJobs, let waiting = consumer?.id ?? caller, state.serves(waiting, key) {
                isCircular = true
                return nil
            }
            let priority = consumer?.priority ?? priority
            let number = state.makeNumber()
            let job = known ?? state.begin(key, number, priority, for: consumer)
            let subscription = Subscription(number: number, job: job.id, isJoined: known != nil)
            let subscriber = Job.Subscriber(
                number: number, target: target, priority: priority, isJoined: subscription.isJoined, caller: caller)
            job.subscribers.append(subscriber)
            consumer?.upstream.append(subscription)
            if case .task(let task) = target { state.tasks[task.id] = subscription }
            if known == nil, let run {
                job.task = Task { [id = job.id] in await run(id) }
            } else {
                state.catchUp(subscriber, with: job)
                if priority > job.priority { state.updatePriority(of: job, &effects) }
            }
            return subscription
        }
        if isCircular { throw .circularRequest }
        return result
    }

    /// Whether a task waits for the job's result itself, not for what others make of it.
    func isWanted(_ id: JobID) -> Bool {
        state.withLock { state in
            state.jobs[id]?.subscribers.contains { if case .task = $0.target { true } else { false } } ?? false
        }
    }

    /// Ends somebody's waiting; a job that nobody waits for any longer is cancelled.
    func unsubscribe(_ subscription: Subscription) { change { $0.unsubscribe(subscription, &$1) } }

    /// Ends a task at its owner's wish.
    func cancel(_ task: ImageTask) {
        change { state, effects in
            if let subscription = state.tasks.removeValue(forKey: task.id) {
                state.unsubscribe(subscription, &effects)
            }
            effects.ended = [task]
        }
    }

    /// Makes a task, and what is done for it, more or less urgent.
    func setPriority(_ priority: ImageRequest.Priority, of task: ImageTask) {
        if let subscription = state.withLock({ $0.tasks[task.id] }) { setPriority(priority, of: subscription) }
    }

    /// Makes somebody's waiting, and what is done for it, more or less urgent.
    func setPriority(_ priority: ImageRequest.Priority, of subscription: Subscription) {
        change { $0.setPriority(priority, of: subscription, &$1) }
    }

    /// Cancels everything; nothing begins after that.
    func invalidate() {
        change { state, effects in
            state.isInvalidated = true
            for job in state.jobs.values {
                for subscriber in job.subscribers {
                    if case .task(let task) = subscriber.target { effects.ended.append(task) }
                }
                state.cancel(job.id, &effects)
            }
            state.tasks = [:]
        }
    }

    /// Changes the graph under its lock, and then does what is left to be done without it.
    func change<Result>(_ body: (inout State, inout SideEffects) -> Result) -> Result {
        var effects = SideEffects()
        let result = state.withLock { body(&$0, &effects) }
        effects.perform()
        return result
    }
}

// MARK: Stages

extension JobGraph {
    /// Does `body` for the job when its turn comes at `stage`, and says how long that took.
    /// - Throws: `CancellationError` where nobody waits for the job any longer, and what `body` throws.
    func perform<Result: Sendable>(
        _ stage: ImagePipeline.Stage, for id: JobID, into stages: inout [ImageTaskMetrics.Stage],
        _ body: () async throws -> Result
    ) async throws -> Result {
        let start = ContinuousClock.now
        let place = try await enter(stage, id)
        let entered = ContinuousClock.now
        defer {
            leave(place)
            stages.add(stage, waiting: entered - start, working: .now - entered)
        }
        return try await JobContext.$current.withValue(JobContext(self, id)) { try await body() }
    }

    private func enter(_ stage: ImagePipeline.Stage, _ id: JobID) async throws -> StageQueue.Place {
        try await withCheckedThrowingContinuation { continuation in
            let place = state.withLock { state -> Result<StageQueue.Place, any Error>? in
                guard let job = state.jobs[id] else { return .failure(CancellationError()) }
                if let place = state.queues[stage.line].start(job.priority) { return .success(place) }
                job.waitsFor = stage
                state.queues[stage.line].add(
                    StageQueue.Waiter(job: id, sequence: job.sequence, continuation: continuation), job.priority)
                return nil
            }
            if let place { continuation.resume(with: place) }
        }
    }

    private func leave(_ place: StageQueue.Place) {
        change { state, effects in
            state.queues[place.stage.line].finish(place)
            state.start(place.stage, &effects)
        }
    }

    /// Counts bytes that were loaded, or with a negative number, decoded.
    fileprivate func addUndecoded(_ count: Int) {
        change { state, effects in
            state.undecodedByteCount += count
            state.queues[ImagePipeline.Stage.data.line].isOpen = state.undecodedByteCount < maximumUndecodedByteCount
            state.start(.data, &effects)
        }
    }

}

extension [ImageTaskMetrics.Stage] {
    /// Adds time spent at a stage, which may have been visited before.
    mutating func add(_ name: ImagePipeline.Stage, waiting: Duration, working: Duration) {
        if let index = firstIndex(where: { $0.name == name }) {
            self[index].waiting += waiting
            self[index].working += working
        } else {
            append(ImageTaskMetrics.Stage(name, waiting: waiting, working: working))
        }
    }
}

/// Bytes that were loaded and may not be decoded yet, counted by the graph as long as this lives.
///
/// While there are too many, no further loading begins: a network that is faster than the processors would fill memory.
final class UndecodedBytes: Sendable {
    private let count: Int
    private let graph: JobGraph

    init(_ count: Int, in graph: JobGraph) {
        self.count = count
        self.graph = graph
        graph.addUndecoded(count)
    }

    deinit { graph.addUndecoded(-count) }
}
