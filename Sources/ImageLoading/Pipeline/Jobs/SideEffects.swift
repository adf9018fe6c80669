/// What a change of the graph leaves to be done without its lock.
struct SideEffects {
    /// Jobs that nobody waits for.
    var cancelled: [Task<Void, Never>] = []
    /// Whom nothing will be delivered to any more: a job that waited for another has to hear of it, or waits for ever.
    var abandoned: [Job.Subscriber.Target] = []
    /// Jobs that were in line and are to leave it.
    var refused: [StageQueue.Waiter] = []
    /// Jobs whose turn it is.
    var turns: [StageQueue.Turn] = []
    /// What was let go, which may be large.
    var discarded: [Any] = []

    /// Does it.
    func perform() {
        for task in cancelled { task.cancel() }
        for target in abandoned { target.fail(CancellationError()) }
        for waiter in refused { waiter.continuation.resume(throwing: CancellationError()) }
        for turn in turns { turn.waiter.continuation.resume(returning: turn.place) }
        // Not sooner, which would be under the lock.
        withExtendedLifetime(discarded) {}
    }
}
