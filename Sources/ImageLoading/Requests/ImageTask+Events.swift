internal import Synchronization

extension ImageTask {
    /// The task's events: the newest progress and preview so far, then new ones, finally the result.
    ///
    /// There can be any number of readers, and each receives the result. A slow reader skips to the newest progress and
    /// preview.
    public var events: Events { Events(task: self) }

    /// The changes of the loading progress.
    public var progress: AsyncCompactMapSequence<Events, Progress> {
        events.compactMap { event in if case .progress(let progress) = event { progress } else { nil } }
    }

    /// The previews, as they become available.
    public var previews: AsyncCompactMapSequence<Events, ImageResponse> {
        events.compactMap { event in if case .preview(let response) = event { response } else { nil } }
    }

    /// The sequence of a task's events.
    public struct Events: AsyncSequence, Sendable {
        fileprivate let task: ImageTask

        /// Starts reading events.
        public func makeAsyncIterator() -> Iterator { Iterator(task: task) }

        /// An iterator over a task's events.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let task: ImageTask
            private var seenProgress = 0
            private var seenPreview = 0
            private var isOver = false

            fileprivate init(task: ImageTask) { self.task = task }

            /// The next event; nil after the result, or when the reading task is cancelled.
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

    /// Returns when there are events that the reader hasn't seen, or when the reader is cancelled.
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
