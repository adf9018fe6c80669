internal import Synchronization

/// All work of a pipeline: jobs, who waits for them, and the lines at the stages.
///
/// Whatever changes does so in one step under one lock: who cancels or changes a priority sees the effect when the call
/// returns, down to the last job. Nothing of the caller's runs under the lock.
final class JobGraph: Sendable {
    struct State {
        var jobs: [JobID: Job] = [:]
        var index: [JobKey: Job] = [:]
        /// The subscription of each task.
        var tasks: [Int: Subscription] = [:]
        /// The line of each stage, by its `line`.
        var queues: [StageQueue]
        var lastNumber: UInt64 = 0
        /// Bytes that were loaded and aren't decoded yet.
        var heldByteCount = 0
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
    let maximumHeldByteCount: Int

    /// A graph without jobs.
    /// - Parameter queues: The lines, in the order of the stages that have one.
    init(_ queues: [StageQueue], maximumHeldByteCount: Int) {
        self.maximumHeldByteCount = maximumHeldByteCount
        state = Mutex(State(queues: queues))
    }

    /// Makes somebody wait for the job of `key`, which is begun with `run` where there is none.
    /// - Parameters:
    ///   - priority: How urgent it is to somebody outside; a job's subscription is as urgent as the job.
    ///   - run: Nil for who waits only for what is there already.
    /// - Returns: Nil where there is nothing to wait for, in a pipeline that was invalidated, and where the job that waits
    ///   was cancelled.
    func subscribe(
        to key: JobKey, _ target: Job.Subscriber.Target, priority: ImageRequest.Priority,
        run: (@Sendable (JobID) async -> Void)? = nil
    ) -> Subscription? {
        var effects = SideEffects()
        let result = state.withLock { state -> Subscription? in
            guard !state.isInvalidated else { return nil }
            let consumer = target.consumer.flatMap { state.jobs[$0] }
            // A job that was cancelled meanwhile has no use for results.
            if consumer == nil, target.consumer != nil { return nil }
            let known = state.index[key]
            if known == nil, run == nil { return nil }
            let priority = consumer?.priority ?? priority
            let number = state.makeNumber()
            let job = known ?? state.begin(key, number, priority, for: consumer)
            let subscription = Subscription(number: number, job: job.id, isJoined: known != nil)
            let subscriber = Job.Subscriber(
                number: number, target: target, priority: priority, isJoined: subscription.isJoined)
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
        effects.perform()
        return result
    }

    /// Whether a task waits for the job's result itself, not for what others make of it.
    func isWanted(_ id: JobID) -> Bool {
        state.withLock { state in
            state.jobs[id]?.subscribers.contains { if case .task = $0.target { true } else { false } } ?? false
        }
    }

    /// Ends somebody's waiting; a job that nobody waits for any longer is cancelled.
    func unsubscribe(_ subscription: Subscription) {
        var effects = SideEffects()
        state.withLock { $0.unsubscribe(subscription, &effects) }
        effects.perform()
    }

    /// Ends a task at its owner's wish.
    func cancel(_ task: ImageTask) {
        var effects = SideEffects()
        state.withLock { state in
            if let subscription = state.tasks.removeValue(forKey: task.id) {
                state.unsubscribe(subscription, &effects)
            }
        }
        task.finish(.failure(.cancelled), as: .cancelled)
        effects.perform()
    }

    /// Makes a task, and what is done for it, more or less urgent.
    func setPriority(_ priority: ImageRequest.Priority, of task: ImageTask) {
        if let subscription = state.withLock({ $0.tasks[task.id] }) { setPriority(priority, of: subscription) }
    }

    /// Makes somebody's waiting, and what is done for it, more or less urgent.
    func setPriority(_ priority: ImageRequest.Priority, of subscription: Subscription) {
        var effects = SideEffects()
        state.withLock { $0.setPriority(priority, of: subscription, &effects) }
        effects.perform()
    }

    /// Cancels everything; nothing begins after that.
    func invalidate() {
        var effects = SideEffects()
        let tasks: [ImageTask] = state.withLock { state in
            state.isInvalidated = true
            var tasks: [ImageTask] = []
            for job in state.jobs.values {
                for subscriber in job.subscribers {
                    if case .task(let task) = subscriber.target { tasks.append(task) }
                }
                state.cancel(job.id, &effects)
            }
            state.tasks = [:]
            return tasks
        }
        for task in tasks { task.finish(.failure(.cancelled), as: .cancelled) }
        effects.perform()
    }
}
