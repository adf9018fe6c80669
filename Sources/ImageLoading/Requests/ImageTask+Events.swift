internal import Synchronization

extension ImageTask {
    /// What happens to the task, and what has happened: begins with the newest progress and preview, ends with the end.
    ///
    /// Any number of readers, each of whom sees the one end. Who reads slower than things happen sees the newest.
    public var events: Events { Events(task: self) }

    /// How far the loading of bytes is, as it changes.
    public var progress: AsyncCompactMapSequence<Events, Progress> {
        events.compactMap { event in if case .progress(let progress) = event { progress } else { nil } }
    }

    /// The previews, as they come.
    public var previews: AsyncCompactMapSequence<Events, ImageResponse> {
        events.compactMap { event in if case .preview(let response) = event { response } else { nil } }
    }

    /// A task's events.
    public struct Events: AsyncSequence, Sendable {
        fileprivate let task: ImageTask

        /// Begins to read.
        public func makeAsyncIterator() -> Iterator { Iterator(task: task) }

        /// A reader of events.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let task: ImageTask
            private var seenProgress = 0
            private var seenPreview = 0
            private var isOver = false

            fileprivate init(task: ImageTask) { self.task = task }

            /// The event that comes next; nil after the end, or when the reading task is cancelled.
            public mutating func next() async -> Event? {
                while !isOver, !Task.isCancelled {
                    if let event = nextKnown() { return event }
                    await task.waitForChange(seenProgress: seenProgress, seenPreview: seenPreview)
                }
                return nil
            }

            private mutating func nextKnown() -> Event? {
                let (progress, preview, result) = task.state.withLock { ($0.progress, $0.preview, $0.result) }
                let newPreview = preview.flatMap { $0.version > seenPreview ? $0 : nil }
                if progress.version > seenProgress, progress.version < newPreview?.version ?? .max {
                    seenProgress = progress.version
                    return .progress(progress.value)
                }
                if let newPreview {
                    seenPreview = newPreview.version
                    return .preview(newPreview.value)
                }
                guard let result else { return nil }
                isOver = true
                return .finished(result)
            }
        }
    }

    /// Returns when there is something that a reader who has seen that much hasn't, or when the reader is cancelled.
    fileprivate func waitForChange(seenProgress: Int, seenPreview: Int) async {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter - 1
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    guard state.result == nil, state.progress.version <= seenProgress,
                        state.preview?.version ?? 0 <= seenPreview, !Task.isCancelled
                    else { return false }
                    state.waiters[number] = continuation
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }
}
