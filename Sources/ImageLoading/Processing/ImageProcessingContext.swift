/// What a processor can know beside the picture.
public struct ImageProcessingContext: Sendable {
    /// What was asked for.
    public var request: ImageRequest
    /// What the server said; nil where none was asked.
    public var urlResponse: DataResponse?
    /// Whether the picture is the final one.
    public var isCompleted: Bool

    /// A context of these.
    public init(request: ImageRequest, urlResponse: DataResponse? = nil, isCompleted: Bool = true) {
        self.request = request
        self.urlResponse = urlResponse
        self.isCompleted = isCompleted
    }
}
