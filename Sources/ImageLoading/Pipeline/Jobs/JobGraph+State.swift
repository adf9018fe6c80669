extension JobGraph.State {
    /// Makes a job. One that works for another was asked for when that one was.
    mutating func begin(
        _ key: JobKey, number: UInt64, _ priority: ImageRequest.Priority, for consumer: JobID?
    ) -> (JobID, Job) {
        let id = JobID(rawValue: number)
        let job = Job(key: key, sequence: consumer.flatMap { jobs[$0]?.sequence } ?? number, priority: priority)
        index[key] = id
        jobs[id] = job
        return (id, job)
    }

    /// Gives one that came late what there is already.
    mutating func catchUp(_ number: UInt64, with id: JobID) {
        guard let job = jobs[id], let subscriber = job.subscribers[number] else { return }
        switch subscriber.target {
        case .task(let task):
            if let progress = job.progress { task.report(progress) }
            if let preview = job.preview { task.report(preview.response(for: task, isJoined: true)) }
        case .image(let consumer, let inbox):
            if let progress = job.progress { report(progress, of: consumer) }
            if let preview = job.preview { inbox.send(preview) }
        case .data(let consumer, let inbox, let wantsParts):
            if let progress = job.progress { report(progress, of: consumer) }
            if wantsParts, let feed = job.feed { inbox.send(.more(feed)) }
        case .bytes(let inbox):
            if let feed = job.feed { inbox.send(.more(feed)) }
        case .pipeline: break
        }
    }

    /// Tells everybody whose picture depends on the job's bytes how far those are.
    mutating func report(_ progress: ImageTask.Progress, of id: JobID) {
        guard let job = jobs[id] else { return }
        job.progress = progress
        for subscriber in job.subscribers.values {
            switch subscriber.target {
            case .task(let task): task.report(progress)
            case .image(let consumer, _), .data(let consumer, _, _): report(progress, of: consumer)
            case .bytes, .pipeline: break
            }
        }
    }

    /// Makes the job as urgent as the most urgent of those who wait for it, and so the jobs that it waits for.
    mutating func updatePriority(of id: JobID, _ effects: inout SideEffects) {
        guard let job = jobs[id], let priority = job.subscribers.values.map(\.priority).max(),
            priority != job.priority
        else { return }
        let old = job.priority
        job.priority = priority
        if let stage = job.waitsFor, let waiter = queues[stage]!.remove(job.sequence, id, old) {
            queues[stage]!.add(waiter, priority)
            start(stage, &effects)
        }
        for (number, other) in job.upstream {
            jobs[other]?.subscribers[number]?.priority = priority
            updatePriority(of: other, &effects)
        }
    }

    /// Gives the places of a stage that are free to those whose turn it is.
    mutating func start(_ stage: ImagePipeline.Stage, _ effects: inout SideEffects) {
        while let turn = queues[stage]!.next() {
            jobs[turn.waiter.job]?.waitsFor = nil
            effects.turns.append(turn)
        }
    }

    /// Ends a subscription, and the job if it was the last.
    mutating func unsubscribe(_ number: UInt64, from id: JobID, _ effects: inout SideEffects) {
        guard let job = jobs[id], job.subscribers.removeValue(forKey: number) != nil else { return }
        if job.subscribers.isEmpty {
            cancel(id, &effects)
        } else {
            updatePriority(of: id, &effects)
        }
    }

    /// Takes a job out, with all that is done for it alone.
    mutating func cancel(_ id: JobID, _ effects: inout SideEffects) {
        guard let job = jobs.removeValue(forKey: id) else { return }
        effects.discarded.append(job)
        if index[job.key] == id { index[job.key] = nil }
        if let task = job.task { effects.cancelled.append(task) }
        if let stage = job.waitsFor, let waiter = queues[stage]!.remove(job.sequence, id, job.priority) {
            effects.refused.append(waiter)
        }
        for subscriber in job.subscribers.values { subscriber.target.fail(CancellationError()) }
        for (number, other) in job.upstream { unsubscribe(number, from: other, &effects) }
    }
}
