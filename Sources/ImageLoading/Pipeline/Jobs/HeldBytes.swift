internal import Synchronization

/// Bytes that were loaded and may not be decoded yet, counted as long as this lives.
///
/// While there are too many, no further loading begins: a network that is faster than the processors would fill memory.
final class HeldBytes: Sendable {
    private let count: Int
    private let graph: JobGraph

    init(_ count: Int, in graph: JobGraph) {
        self.count = count
        self.graph = graph
        graph.hold(count)
    }

    deinit { graph.hold(-count) }
}

extension JobGraph {
    /// Counts bytes that are held, or are no longer.
    fileprivate func hold(_ count: Int) {
        var effects = SideEffects()
        state.withLock { state in
            state.heldByteCount += count
            state.queues[ImagePipeline.Stage.data.line].isOpen = state.heldByteCount < maximumHeldByteCount
            state.start(.data, &effects)
        }
        effects.perform()
    }
}
