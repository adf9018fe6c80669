extension JobGraph.State {
    /// Makes a job. One that works for another was asked for when that one was.
    mutating func begin(
        _ key: JobKey, _ number: UInt64, _ priority: ImageRequest.Priority, for consumer: Job?
    ) -> Job {
        let job = Job(JobID(rawValue: number), key, sequence: consumer?.sequence ?? number, priority: priority)
        index[key] = job
        jobs[job.id] = job
        return job
    }

    /// Takes a job out; nil where it is out already.
    mutating func remove(_ id: JobID) -> Job? {
        guard let job = jobs.removeValue(forKey: id) else { return nil }
        if index[job.key] === job { index[job.key] = nil }
        return job
    }

    /// Whether the job makes what `key` says, or something that such a job waits for.
    func serves(_ id: JobID, _ key: JobKey) -> Bool {
        var (pending, seen) = ([id], Set<JobID>())
        while let id = pending.popLast() {
            guard seen.insert(id).inserted, let job = jobs[id] else { continue }
            if job.key == key { return true }
            pending += job.subscribers.compactMap(\.waitingJob)
        }
        return false
    }

    /// Gives one that came late what there is already.
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

    /// Tells everybody whose picture depends on the job's bytes how far those are.
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

    /// Makes a subscription, and what is done for it, more or less urgent; nothing if it has ended.
    mutating func setPriority(
        _ priority: ImageRequest.Priority, of subscription: JobGraph.Subscription, _ effects: inout SideEffects
    ) {
        guard let job = jobs[subscription.job],
            let index = job.subscribers.firstIndex(where: { $0.number == subscription.number })
        else { return }
        job.subscribers[index].priority = priority
        updatePriority(of: job, &effects)
    }

    /// Makes the job as urgent as the most urgent of those who wait for it, and so the jobs that it waits for.
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

    /// Gives the places of a stage that are free to those whose turn it is.
    mutating func start(_ stage: ImagePipeline.Stage, _ effects: inout SideEffects) {
        while let turn = queues[stage.line].next() {
            jobs[turn.waiter.job]?.waitsFor = nil
            effects.turns.append(turn)
        }
    }

    /// Ends a subscription, and the job if it was the last.
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

    /// Takes a job out, with all that is done for it alone.
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

/// What a change of the graph leaves to be done without its lock.
struct SideEffects: Sendable {
    /// Tasks that were cancelled by their owners, or with the whole pipeline.
    var ended: [ImageTask] = []
    /// Jobs that nobody waits for.
    var cancelled: [Task<Void, Never>] = []
    /// Whom nothing will be delivered to any more: a job that waited for another has to hear of it, or waits for ever.
    var abandoned: [Job.Subscriber.Target] = []
    /// Jobs that were in line and are to leave it.
    var refused: [StageQueue.Waiter] = []
    /// Jobs whose turn it is.
    var turns: [StageQueue.Turn] = []
    /// What was let go, which may be large.
    var discarded: [any Sendable] = []

    func perform() {
        for task in ended { task.finish(.failure(.cancelled), as: .cancelled) }
        for task in cancelled { task.cancel() }
        for target in abandoned { target.fail(CancellationError()) }
        for waiter in refused { waiter.continuation.resume(throwing: CancellationError()) }
        for turn in turns { turn.waiter.continuation.resume(returning: turn.place) }
        // Not sooner, which would be under the lock.
        withExtendedLifetime(discarded) {}
    }
}
