internal import Synchronization

extension JobGraph {
    /// Reports loading progress to the tasks that depend on the job; with `feed`, also sends the bytes so far to
    /// readers of partial data.
    func report(_ progress: ImageTask.Progress, _ feed: DataFeed? = nil, of id: JobID) {
        state.withLock { state in
            guard let job = state.jobs[id] else { return }
            if let feed {
                job.feed = feed
                for subscriber in job.subscribers {
                    switch subscriber.target {
                    case .data(_, let inbox, wantsParts: true), .bytes(let inbox): inbox.send(feed)
                    case .data, .task, .image, .pipeline: break
                    }
                }
            }
            state.report(progress, of: id)
        }
    }

    /// Delivers a preview to the job's subscribers.
    func report(_ preview: ImageOutput, of id: JobID) {
        change { state, effects in
            guard let job = state.jobs[id] else { return }
            if let old = job.preview { effects.discarded.append(old) }
            job.preview = preview
            for subscriber in job.subscribers {
                switch subscriber.target {
                case .task(let task): task.report(preview.response(for: task, isJoined: subscriber.isJoined))
                case .image(_, let inbox): if let old = inbox.send(preview) { effects.discarded.append(old) }
                case .data, .bytes, .pipeline: break
                }
            }
        }
    }

    /// Ends a job and delivers the image or the error to its subscribers.
    func finish(_ id: JobID, withImage result: Result<ImageOutput, any Error>) {
        for subscriber in end(id)?.subscribers ?? [] {
            switch subscriber.target {
            case .task(let task):
                task.finish(
                    result.map { $0.response(for: task, isJoined: subscriber.isJoined) }
                        .mapError { ImagePipeline.Error($0) })
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

    /// Ends a job and delivers the bytes or the error to its subscribers.
    func finish(_ id: JobID, withData result: Result<DataOutput, any Error>) {
        for subscriber in end(id)?.subscribers ?? [] {
            switch subscriber.target {
            case .data(_, let inbox, _), .bytes(let inbox):
                inbox.finish(
                    result.map { output in
                        var output = output
                        output.isJoined = subscriber.isJoined
                        return output
                    })
            case .task, .image, .pipeline: break
            }
        }
    }

    /// Ends a job without a result.
    func finish(_ id: JobID) { _ = end(id) }

    /// Removes a finished job from the graph.
    /// - Returns: The job with its subscribers; nil if it was cancelled.
    private func end(_ id: JobID) -> Job? {
        change { state, effects in
            guard let job = state.remove(id) else { return nil }
            for subscriber in job.subscribers {
                if let consumer = subscriber.target.consumer {
                    state.jobs[consumer]?.upstream.removeAll { $0.number == subscriber.number }
                }
                if case .task(let task) = subscriber.target { state.tasks[task.id] = nil }
            }
            for subscription in job.upstream { state.unsubscribe(subscription, &effects) }
            return job
        }
    }
}

extension ImageOutput {
    func response(for task: ImageTask, isJoined: Bool) -> ImageResponse {
        ImageResponse(
            container: container, request: task.request, urlResponse: urlResponse, source: source,
            isJoined: isJoined || self.isJoined,
            metrics: ImageTaskMetrics(stages: stages, total: .now - task.start, byteCount: byteCount))
    }
}
