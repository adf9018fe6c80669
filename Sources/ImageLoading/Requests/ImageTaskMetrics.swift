/// What a task's picture took, stage by stage.
public struct ImageTaskMetrics: Hashable, Sendable {
    /// One stage of the pipeline.
    public struct Stage: Hashable, Sendable {
        /// Which.
        public var name: ImagePipeline.Stage
        /// Time spent in line for it.
        public var waiting: Duration
        /// Time spent on it.
        public var working: Duration

        /// A stage of these times.
        public init(_ name: ImagePipeline.Stage, waiting: Duration, working: Duration) {
            self.name = name
            self.waiting = waiting
            self.working = working
        }
    }

    /// The stages that were run, in their order. Of work that was joined, all of it.
    public var stages: [Stage]
    /// From the task's start to its end.
    public var total: Duration
    /// Bytes that came over the network, or from wherever the bytes came.
    public var byteCount: Int

    /// Metrics of these values.
    public init(stages: [Stage] = [], total: Duration = .zero, byteCount: Int = 0) {
        self.stages = stages
        self.total = total
        self.byteCount = byteCount
    }
}
