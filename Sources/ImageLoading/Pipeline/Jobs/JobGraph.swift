internal import Synchronization

/// All work of a pipeline: jobs, who waits for them, and the lines at the stages.
///
/// Whatever changes does so in one step under one lock: who cancels or changes a priority sees the effect when the call
/// returns, down to the last job. Nothing of the caller's runs under the lock.
final class JobGraph: Sendable {
    struct State {
        var jobs: [JobID: Job] = [:]
        var index: [JobKey: JobID] = [:]
        /// The subscription of each task, and with which job.
        var tasks: [Int: (subscription: UInt64, job: JobID)] = [:]
        var queues: [ImagePipeline.Stage: StageQueue]
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

    init(_ queues: [ImagePipeline.Stage: ImagePipeline.Queue], maximumHeldByteCount: Int) {
        self.maximumHeldByteCount = maximumHeldByteCount
        var lines: [ImagePipeline.Stage: StageQueue] = [:]
        for (stage, limits) in queues { lines[stage] = StageQueue(stage, limits) }
        state = Mutex(State(queues: lines))
    }

    /// Makes somebody wait for the job of `key`, which is begun with `run` where there is none.
    /// - Returns: Nil for a pipeline that was invalidated, and where the job that waits was cancelled.
    func subscribe(
        to key: JobKey, priority: ImageRequest.Priority, _ target: Job.Subscriber.Target,
        run: @escaping @Sendable (JobID) async -> Void
    ) -> Subscription? {
        var effects = SideEffects()
        let result = state.withLock { state -> Subscription? in
            guard !state.isInvalidated else { return nil }
            // A job that was cancelled meanwhile has no use for results.
            if let consumer = target.consumer, state.jobs[consumer] == nil { return nil }
            let number = state.makeNumber()
            let known = state.index[key].flatMap { id in state.jobs[id].map { (id, $0) } }
            let (id, job) = known ?? state.begin(key, number: number, priority, for: target.consumer)
            job.subscribers[number] = Job.Subscriber(target: target, priority: priority, isJoined: known != nil)
            if let consumer = target.consumer { state.jobs[consumer]?.upstream[number] = id }
            if case .task(let task) = target { state.tasks[task.id] = (number, id) }
            if known == nil {
                job.task = Task { await run(id) }
            } else {
                state.catchUp(number, with: id)
                state.updatePriority(of: id, &effects)
            }
            return Subscription(number: number, job: id, isJoined: known != nil)
        }
        effects.perform()
        return result
    }

    /// Makes somebody wait for the bytes of a job that there is already.
    /// - Returns: Nil where there is none.
    func join(
        _ key: JobKey, priority: ImageRequest.Priority, _ inbox: Inbox<DataEvent>
    ) -> Subscription? {
        var effects = SideEffects()
        let result = state.withLock { state -> Subscription? in
            guard let id = state.index[key], let job = state.jobs[id] else { return nil }
            let number = state.makeNumber()
            job.subscribers[number] = Job.Subscriber(
                target: .bytes(inbox), priority: priority, isJoined: true)
            state.catchUp(number, with: id)
            state.updatePriority(of: id, &effects)
            return Subscription(number: number, job: id, isJoined: true)
        }
        effects.perform()
        return result
    }

    /// How urgent a job is; the least for one that was cancelled.
    func priority(of id: JobID) -> ImageRequest.Priority { state.withLock { $0.jobs[id]?.priority ?? .veryLow } }

    /// Whether a task waits for the job's result itself, not for what others make of it.
    func isWanted(_ id: JobID) -> Bool {
        state.withLock { state in
            state.jobs[id]?.subscribers.values.contains { if case .task = $0.target { true } else { false } } ?? false
        }
    }

    /// Ends somebody's waiting; a job that nobody waits for any longer is cancelled.
    func unsubscribe(_ subscription: Subscription) {
        var effects = SideEffects()
        state.withLock { $0.unsubscribe(subscription.number, from: subscription.job, &effects) }
        effects.perform()
    }

    /// Ends a task at its owner's wish.
    func cancel(_ task: ImageTask) {
        var effects = SideEffects()
        state.withLock { state in
            guard let (number, job) = state.tasks.removeValue(forKey: task.id) else { return }
            state.unsubscribe(number, from: job, &effects)
        }
        task.finish(.failure(.cancelled), as: .cancelled)
        effects.perform()
    }

    /// Makes a task, and what is done for it, more or less urgent.
    func setPriority(_ priority: ImageRequest.Priority, of task: ImageTask) {
        var effects = SideEffects()
        state.withLock { state in
            guard let (number, job) = state.tasks[task.id] else { return }
            state.jobs[job]?.subscribers[number]?.priority = priority
            state.updatePriority(of: job, &effects)
        }
        effects.perform()
    }

    /// Makes somebody's waiting, and what is done for it, more or less urgent.
    func setPriority(_ priority: ImageRequest.Priority, of subscription: Subscription) {
        var effects = SideEffects()
        state.withLock { state in
            guard let job = state.jobs[subscription.job], job.subscribers[subscription.number] != nil else { return }
            job.subscribers[subscription.number]!.priority = priority
            state.updatePriority(of: subscription.job, &effects)
        }
        effects.perform()
    }

    /// Cancels everything; nothing begins after that.
    func invalidate() {
        var effects = SideEffects()
        let tasks: [ImageTask] = state.withLock { state in
            state.isInvalidated = true
            var tasks: [ImageTask] = []
            for (id, job) in state.jobs {
                for subscriber in job.subscribers.values {
                    if case .task(let task) = subscriber.target { tasks.append(task) }
                }
                state.cancel(id, &effects)
            }
            state.tasks = [:]
            return tasks
        }
        for task in tasks { task.finish(.failure(.cancelled), as: .cancelled) }
        effects.perform()
    }
}

extension Job.Subscriber.Target {
    /// Says that there will be nothing.
    func fail(_ error: any Error) {
        switch self {
        case .task, .pipeline: break
        case .image(_, let inbox): inbox.finish(.failure(error))
        case .data(_, let inbox, _), .bytes(let inbox): inbox.finish(.failure(error))
        }
    }

    /// The job that waits.
    var consumer: JobID? {
        switch self {
        case .image(let id, _), .data(let id, _, _): id
        case .task, .bytes, .pipeline: nil
        }
    }
}
