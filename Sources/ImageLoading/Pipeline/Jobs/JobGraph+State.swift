extension JobGraph.State {
    /// Creates a job. If it works for another one, it takes that one's place in the order.
    mutating func begin(
        _ key: JobKey, _ number: UInt64, _ priority: ImageRequest.Priority, for consumer: Job?
    ) -> Job {
        let job = Job(JobID(rawValue: number), key, sequence: consumer?.sequence ?? number, priority: priority)
        index[key] = job
        jobs[job.id] = job
        return job
    }

    /// Removes a job; nil if it was already removed.
    mutating func remove(_ id: JobID) -> Job? {
        guard let job = jobs.removeValue(forKey: id) else { return nil }
        if index[job.key] === job { index[job.key] = nil }
        return job
    }

    /// Whether the job, or one that depends on it, has the given key.
    func serves(_ id: JobID, _ key: JobKey) -> Bool {
        var (pending, seen) = ([id], Set<JobID>())
        while let id = pending.popLast() {
            guard seen.insert(id).inserted, let job = jobs[id] else { continue }
            if job.key == key { return true }
            pending += job.subscribers.compactMap(\.waitingJob)
        }
        return false
    }

    /// Delivers earlier results to a late subscriber.
    mutating func catchUp(_ subscriber: Job.Subscriber, with job: Job) {
        switch subscriber.target {
        case .task(let task):
            if let progress = job.progress { task.report(progress) }
            if let preview = job.preview { task.report(preview.response(for: task, isJoined: true)) }
        case .image(let consumer, let inbox):
            if let progress = job.progress { report(progress, of: consumer) }
            if let preview = job.preview { inbox.send(preview) }
        case .data(let consumer, let inbox, let wantsParts):
            if let progress = job.progress { report(progress, of: consumer) }
            if wantsParts, let feed = job.feed { inbox.send(feed) }
        case .bytes(let inbox):
            if let feed = job.feed { inbox.send(feed) }
        case .pipeline: break
        }
    }

    /// Reports loading progress to all tasks that depend on the job.
    mutating func report(_ progress: ImageTask.Progress, of id: JobID) {
        guard let job = jobs[id] else { return }
        job.progress = progress
        for subscriber in job.subscribers {
            switch subscriber.target {
            case .task(let task): task.report(progress)
            case .image(let consumer, _), .data(let consumer, _, _): report(progress, of: consumer)
            case .bytes, .pipeline: break
            }
        }
    }

    /// Changes the priority of a subscription, if it still exists, and of the jobs that work for it.
    mutating func setPriority(
        _ priority: ImageRequest.Priority, of subscription: JobGraph.Subscription, _ effects: inout SideEffects
    ) {
        guard let job = jobs[subscription.job],
            let index = job.subscribers.firstIndex(where: { $0.number == subscription.number })
        else { return }
        job.subscribers[index].priority = priority
        updatePriority(of: job, &effects)
    }

    /// Sets the job's priority to the highest of its subscribers, and updates the jobs that work for it.
    mutating func updatePriority(of job: Job, _ effects: inout SideEffects) {
        guard let priority = job.subscribers.lazy.map(\.priority).max(), priority != job.priority else { return }
        let old = job.priority
        job.priority = priority
        if let stage = job.waitsFor, let waiter = queues[stage.line].remove(job.sequence, job.id, old) {
            queues[stage.line].add(waiter, priority)
            start(stage, &effects)
        }
        for subscription in job.upstream { setPriority(priority, of: subscription, &effects) }
    }

    /// Starts waiting jobs while the stage has free places.
    mutating func start(_ stage: ImagePipeline.Stage, _ effects: inout SideEffects) {
        while let turn = queues[stage.line].next() {
            jobs[turn.waiter.job]?.waitsFor = nil
            effects.turns.append(turn)
        }
    }

    /// Ends a subscription, and cancels the job if it was the last.
    mutating func unsubscribe(_ subscription: JobGraph.Subscription, _ effects: inout SideEffects) {
        guard let job = jobs[subscription.job],
            let index = job.subscribers.firstIndex(where: { $0.number == subscription.number })
        else { return }
        effects.abandoned.append(job.subscribers.remove(at: index).target)
        if job.subscribers.isEmpty {
            cancel(job.id, &effects)
        } else {
            updatePriority(of: job, &effects)
        }
    }

    /// Cancels a job, and those that work only for it.
    mutating func cancel(_ id: JobID, _ effects: inout SideEffects) {
        guard let job = remove(id) else { return }
        effects.discarded.append(job)
        if let task = job.task { effects.cancelled.append(task) }
        if let stage = job.waitsFor, let waiter = queues[stage.line].remove(job.sequence, id, job.priority) {
            effects.refused.append(waiter)
        }
        effects.abandoned += job.subscribers.map(\.target)
        for subscription in job.upstream { unsubscribe(subscription, &effects) }
    }
}

/// Actions to perform after releasing the graph's lock.
struct SideEffects: Sendable {
    /// Tasks that were cancelled, individually or with the pipeline.
    var ended: [ImageTask] = []
    /// The Swift tasks of cancelled jobs.
    var cancelled: [Task<Void, Never>] = []
    /// Subscribers that will receive no result; jobs among them must be told, or they would wait forever.
    var abandoned: [Job.Subscriber.Target] = []
    /// Jobs to remove from their queue.
    var refused: [StageQueue.Waiter] = []
    /// Jobs that can start.
    var turns: [StageQueue.Turn] = []
    /// Released values, which may be large.
    var discarded: [any Sendable] = []

    func perform() {
        for task in ended { task.finish(.failure(.cancelled), as: .cancelled) }
        for task in cancelled { task.cancel() }
        for target in abandoned { target.fail(CancellationError()) }
        for waiter in refused { waiter.continuation.resume(throwing: CancellationError()) }
        for turn in turns { turn.waiter.continuation.resume(returning: turn.place) }
        // Keeps them alive until here, outside the lock.
        withExtendedLifetime(discarded) {}
    }
}
