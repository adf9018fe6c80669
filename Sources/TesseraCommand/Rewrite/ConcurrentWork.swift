internal import Tessera

/// Work on many elements, some at a time.
enum ConcurrentWork {
    /// Calls `work` for each element, at most `jobs` at a time, and `receive` with each result as it comes.
    static func run<Element: Sendable, Outcome: Sendable>(
        _ elements: [Element], jobs: Int, _ work: @escaping @Sendable (Element) -> Outcome,
        receive: (Outcome) -> Void
    ) async {
        await run(elements, jobs: jobs, work) { outcome in
            receive(outcome)
            return true
        }
    }

    /// Calls `work` for each element, at most `jobs` at a time, and `continues` with each result as it comes. Begins no
    /// further elements once `continues` returns false or the task is cancelled.
    static func run<Element: Sendable, Outcome: Sendable>(
        _ elements: [Element], jobs: Int, _ work: @escaping @Sendable (Element) -> Outcome,
        while continues: (Outcome) -> Bool
    ) async {
        await withTaskExecutorPreference(ImageExecutor(width: jobs)) {
            await withTaskGroup(of: Outcome.self) { group in
                var waiting = elements.makeIterator()
                var isOver = false
                func startNext() {
                    guard !isOver, !Task.isCancelled, let element = waiting.next() else { return }
                    group.addTask { work(element) }
                }
                for _ in 0..<jobs { startNext() }
                for await outcome in group {
                    if !continues(outcome) { isOver = true }
                    startNext()
                }
            }
        }
    }
}
