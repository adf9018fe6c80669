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
