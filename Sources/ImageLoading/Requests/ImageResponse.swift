public import Raster

/// An image or a preview, with its source and metrics.
public struct ImageResponse: Sendable {
    /// The source of an image.
    public enum Source: String, Hashable, Sendable {
        /// The memory cache.
        case memory
        /// The original bytes in the disk cache.
        case diskOriginal = "disk (original)"
        /// The processed image in the disk cache.
        case diskProcessed = "disk (processed)"
        /// A file, a data URL, or the request's closure.
        case local
        /// The network.
        case network
        /// A cache, after the server has confirmed the version.
        case revalidated
    }

    /// The image with the data that its decoder attached.
    public var container: ImageContainer
    /// The request that was loaded.
    public var request: ImageRequest
    /// The server's response; nil for images that don't come from a server.
    public var urlResponse: DataResponse?
    /// The source of the image.
    public var source: Source
    /// Whether the task joined work started for another one.
    public var isJoined: Bool
    /// The time spent at each stage, and the number of bytes.
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

    /// The container's image.
    public var image: Image { container.image }
    /// Whether a better image will follow.
    public var isPreview: Bool { container.isPreview }
}

/// The times and byte count of a task.
public struct ImageTaskMetrics: Hashable, Sendable {
    /// The times of one stage of the pipeline.
    public struct Stage: Hashable, Sendable {
        /// The stage.
        public var name: ImagePipeline.Stage
        /// The time spent waiting in the stage's queue.
        public var waiting: Duration
        /// The time spent working.
        public var working: Duration

        /// Creates an entry with its times.
        public init(_ name: ImagePipeline.Stage, waiting: Duration, working: Duration) {
            self.name = name
            self.waiting = waiting
            self.working = working
        }
    }

    /// The stages that ran, in order. Joined work is included in full.
    public var stages: [Stage]
    /// The time from the task's start to its end.
    public var total: Duration
    /// The number of bytes loaded from the source.
    public var byteCount: Int

    /// Creates metrics; by default, all are zero.
    public init(stages: [Stage] = [], total: Duration = .zero, byteCount: Int = 0) {
        self.stages = stages
        self.total = total
        self.byteCount = byteCount
    }
}
