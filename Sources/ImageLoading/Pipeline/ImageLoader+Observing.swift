extension ImageLoader {
    /// Has the observers told what becomes of `task`, from its beginning.
    func observe(_ task: ImageTask) {
        let observers = configuration.observers
        guard !observers.isEmpty else { return }
        for observer in observers { observer.taskWasCreated(task.id, request: task.request) }
        Task {
            for observer in observers { observer.taskDidStart(task.id, request: task.request) }
            for await event in task.events {
                for observer in observers { observer.tell(event, of: task) }
            }
        }
    }
}

extension ImagePipelineObserving {
    fileprivate func tell(_ event: ImageTask.Event, of task: ImageTask) {
        switch event {
        case .progress(let progress):
            taskDidProgress(
                task.id, request: task.request, receivedByteCount: progress.completedByteCount,
                expectedByteCount: progress.totalByteCount)
        case .preview: break
        case .finished(let result):
            let metrics =
                switch result {
                case .success(let response): response.metrics
                case .failure:
                    ImageTaskMetrics(total: .now - task.start, byteCount: task.currentProgress.completedByteCount)
                }
            taskDidFinish(task.id, request: task.request, result: result, metrics: metrics)
        }
    }
}
