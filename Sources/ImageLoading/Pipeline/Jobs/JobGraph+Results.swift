internal import Synchronization

extension JobGraph {
    /// Tells who waits for the job's picture how far its bytes are.
    func report(_ progress: ImageTask.Progress, of id: JobID) {
        state.withLock { $0.report(progress, of: id) }
    }

    /// Tells who wants a job's bytes as they come that there are more.
    func report(_ feed: DataFeed, of id: JobID) {
        state.withLock { state in
            guard let job = state.jobs[id] else { return }
            job.feed = feed
            for subscriber in job.subscribers.values {
                switch subscriber.target {
                case .data(_, let inbox, wantsParts: true), .bytes(let inbox): inbox.send(.more(feed))
                case .data, .task, .image, .pipeline: break
                }
            }
        }
    }

    /// Gives a preview to those who wait for the picture.
    func report(_ preview: ImageOutput, of id: JobID) {
        var effects = SideEffects()
        state.withLock { state in
            guard let job = state.jobs[id] else { return }
            if let old = job.preview { effects.discarded.append(old) }
            job.preview = preview
            for subscriber in job.subscribers.values {
                switch subscriber.target {
                case .task(let task): task.report(preview.response(for: task, isJoined: subscriber.isJoined))
                case .image(_, let inbox): if let old = inbox.send(preview) { effects.discarded.append(old) }
                case .data, .bytes, .pipeline: break
                }
            }
        }
        effects.perform()
    }

    /// Ends a job: everybody who waits for it gets the picture, or the reason that there is none.
    func finish(_ id: JobID, withImage result: Result<ImageOutput, any Error>) {
        for subscriber in end(id) {
            switch subscriber.target {
            case .task(let task):
                switch result {
                case .success(let output):
                    task.finish(.success(output.response(for: task, isJoined: subscriber.isJoined)))
                case .failure(let error): task.finish(.failure(ImagePipeline.Error(error)))
                }
            case .image(_, let inbox):
                inbox.finish(
                    result.map { output in
                        var output = output
                        output.isJoined = output.isJoined || subscriber.isJoined
                        return output
                    })
            case .data, .bytes, .pipeline: break
            }
        }
    }

    /// Ends a job: everybody who waits for it gets the bytes, or the reason that there are none.
    func finish(_ id: JobID, withData result: Result<DataOutput, any Error>) {
        for subscriber in end(id) {
            switch subscriber.target {
            case .data(_, let inbox, _), .bytes(let inbox):
                inbox.finish(
                    result.map { output in
                        var output = output
                        output.isJoined = subscriber.isJoined
                        return .complete(output)
                    })
            case .task, .image, .pipeline: break
            }
        }
    }

    /// Ends a job that has no result.
    func finish(_ id: JobID) { _ = end(id) }

    /// Takes a job that is done out of the graph.
    /// - Returns: Those who waited for it.
    private func end(_ id: JobID) -> [Job.Subscriber] {
        var effects = SideEffects()
        let subscribers: [Job.Subscriber] = state.withLock { state in
            guard let job = state.jobs.removeValue(forKey: id) else { return [] }
            effects.discarded.append(job)
            if state.index[job.key] == id { state.index[job.key] = nil }
            for (number, subscriber) in job.subscribers {
                if let consumer = subscriber.target.consumer { state.jobs[consumer]?.upstream[number] = nil }
                if case .task(let task) = subscriber.target { state.tasks[task.id] = nil }
            }
            for (number, other) in job.upstream { state.unsubscribe(number, from: other, &effects) }
            return Array(job.subscribers.values)
        }
        effects.perform()
        return subscribers
    }
}

extension ImageOutput {
    /// The response to a task's request.
    func response(for task: ImageTask, isJoined: Bool) -> ImageResponse {
        ImageResponse(
            container: container, request: task.request, urlResponse: urlResponse, source: source,
            isJoined: isJoined || self.isJoined,
            metrics: ImageTaskMetrics(stages: stages, total: .now - task.start, byteCount: byteCount))
    }
}

extension ImagePipeline.Error {
    /// What a stage reported, as tasks report it.
    init(_ error: any Swift.Error) {
        switch error {
        case let error as ImagePipeline.Error: self = error
        case is CancellationError: self = .cancelled
        default: self = .dataLoadingFailed(error)
        }
    }
}
