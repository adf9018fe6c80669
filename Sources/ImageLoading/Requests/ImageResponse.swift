public import Raster

/// A picture that arrived, or a preview of it, and where it came from.
public struct ImageResponse: Sendable {
    /// Where a picture came from.
    public enum Source: String, Hashable, Sendable {
        /// The memory cache.
        case memory
        /// The bytes of the original in the disk cache.
        case diskOriginal = "disk (original)"
        /// The processed picture in the disk cache.
        case diskProcessed = "disk (processed)"
        /// A file, a data URL, or a closure of the program's.
        case local
        /// The network.
        case network
        /// A cache, after its server said that nothing has changed.
        case revalidated
    }

    /// The picture and what its decoder attached.
    public var container: ImageContainer
    /// What was asked for.
    public var request: ImageRequest
    /// What the server said; nil where none was asked.
    public var urlResponse: DataResponse?
    /// Where the picture came from.
    public var source: Source
    /// Whether the work had been begun for another task, which this one joined.
    public var isJoined: Bool
    /// What each stage took.
    public var metrics: ImageTaskMetrics

    package init(
        container: ImageContainer, request: ImageRequest, urlResponse: DataResponse?, source: Source, isJoined: Bool,
        metrics: ImageTaskMetrics
    ) {
        self.container = container
        self.request = request
        self.urlResponse = urlResponse
        self.source = source
        self.isJoined = isJoined
        self.metrics = metrics
    }

    /// The picture.
    public var image: Image { container.image }
    /// Whether a better picture is going to follow.
    public var isPreview: Bool { container.isPreview }
}

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
