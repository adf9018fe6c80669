internal import Synchronization

/// The jobs of a pipeline, their subscribers, and the queues at the stages.
///
/// Each change is one step under one lock, so cancellation and priority changes have taken effect, down to the last
/// job, when the call returns. No code of the program runs under the lock.
final class JobGraph: Sendable {
    struct State {
        var jobs: [JobID: Job] = [:]
        var index: [JobKey: Job] = [:]
        var tasks: [Int: Subscription] = [:]
        /// The queues, indexed by `Stage.line`.
        var queues: [StageQueue]
        var lastNumber: UInt64 = 0
        var undecodedByteCount = 0
        var isInvalidated = false

        mutating func makeNumber() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }
    }

    /// A subscriber's connection to a job.
    struct Subscription: Sendable {
        let number: UInt64
        let job: JobID
        /// Whether the job already existed.
        let isJoined: Bool
    }

    let state: Mutex<State>

    /// The number of undecoded bytes from which no further loading starts.
    let maximumUndecodedByteCount: Int

    /// Whether requests with the same key share a job.
    let sharesJobs: Bool

    /// Creates an empty graph.
    /// - Parameter queues: The queues, ordered by `Stage.line`.
    init(_ queues: [StageQueue], maximumUndecodedByteCount: Int, sharesJobs: Bool = true) {
        self.maximumUndecodedByteCount = maximumUndecodedByteCount
        self.sharesJobs = sharesJobs
        state = Mutex(State(queues: queues))
    }

    /// Subscribes to the job with `key`, starting it with `run` if there is none.
    /// - Parameters:
    ///   - priority: The priority of a subscriber outside of the graph; a job's subscription has the job's.
    ///   - run: The job's body; nil to join an existing job only.
    /// - Returns: Nil if there is no job to join, the pipeline is invalidated, or the subscribing job is cancelled.
    /// - Throws: `circularRequest` if the job depends, directly or not, on the subscriber.
    func subscribe(
        to key: JobKey, _ target: Job.Subscriber.Target, priority: ImageRequest.Priority,
        run: (@Sendable (JobID) async -> Void)? = nil
    ) throws(ImagePipeline.Error) -> Subscription? {
        let caller = target.consumer == nil ? JobContext.caller(in: self) : nil
        var isCircular = false
        let result = change { state, effects -> Subscription? in
            guard !state.isInvalidated else { return nil }
            let consumer = target.consumer.flatMap { state.jobs[$0] }
            // A cancelled job needs no results.
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

    /// Whether a task waits for the job's own result, not only for one derived from it.
    func isWanted(_ id: JobID) -> Bool {
        state.withLock { state in
            state.jobs[id]?.subscribers.contains { if case .task = $0.target { true } else { false } } ?? false
        }
    }

    /// Ends a subscription; a job without subscribers is cancelled.
    func unsubscribe(_ subscription: Subscription) { change { $0.unsubscribe(subscription, &$1) } }

    /// Cancels a task for its owner.
    func cancel(_ task: ImageTask) {
        change { state, effects in
            if let subscription = state.tasks.removeValue(forKey: task.id) {
                state.unsubscribe(subscription, &effects)
            }
            effects.ended = [task]
        }
    }

    /// Changes the priority of a task and of the jobs that work for it.
    func setPriority(_ priority: ImageRequest.Priority, of task: ImageTask) {
        if let subscription = state.withLock({ $0.tasks[task.id] }) { setPriority(priority, of: subscription) }
    }

    /// Changes the priority of a subscription and of the jobs that work for it.
    func setPriority(_ priority: ImageRequest.Priority, of subscription: Subscription) {
        change { $0.setPriority(priority, of: subscription, &$1) }
    }

    /// Cancels everything and rejects later subscriptions.
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

    /// Changes the graph under its lock, and then performs the side effects without it.
    ///
    /// Never inlined: `Mutex` caches the thread's number in thread-local storage, and the optimiser keeps that address across an
    /// `await` when two uses land in one async function. The function may resume on another thread, and the first one may have
    /// ended.
    @inline(never)
    func change<Result>(_ body: (inout State, inout SideEffects) -> Result) -> Result {
        var effects = SideEffects()
        let result = state.withLock { body(&$0, &effects) }
        effects.perform()
        return result
    }
}

// MARK: Stages

extension JobGraph {
    /// Waits for a place at `stage`, runs `body` and records the times.
    /// - Throws: `CancellationError` if the job is cancelled, and errors of `body`.
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

    /// Adds the number of loaded bytes, or subtracts decoded ones if negative.
    fileprivate func addUndecoded(_ count: Int) {
        change { state, effects in
            state.undecodedByteCount += count
            state.queues[ImagePipeline.Stage.data.line].isOpen = state.undecodedByteCount < maximumUndecodedByteCount
            state.start(.data, &effects)
        }
    }

}

extension [ImageTaskMetrics.Stage] {
    /// Adds times to a stage, which may already have an entry.
    mutating func add(_ name: ImagePipeline.Stage, waiting: Duration, working: Duration) {
        if let index = firstIndex(where: { $0.name == name }) {
            self[index].waiting += waiting
            self[index].working += working
        } else {
            append(ImageTaskMetrics.Stage(name, waiting: waiting, working: working))
        }
    }
}

/// Counts loaded bytes as undecoded while it lives.
///
/// Above the limit no further loading starts; otherwise a network faster than the processors would fill the memory.
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
