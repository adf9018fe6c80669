internal import Synchronization

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
        return try await body()
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
        var effects = SideEffects()
        state.withLock { state in
            state.queues[place.stage.line].finish(place)
            state.start(place.stage, &effects)
        }
        effects.perform()
    }

    /// How many jobs there are.
    var jobCount: Int { state.withLock { $0.jobs.count } }

    /// How many jobs wait and work at `stage`.
    func counts(at stage: ImagePipeline.Stage) -> (waiting: Int, running: Int) {
        state.withLock { state in
            let queue = state.queues[stage.line]
            return (queue.waitingCount, queue.runningCount)
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
