/// What an encoder can know of the picture that it is to encode.
public struct ImageEncodingContext: Sendable {
    /// What was asked for.
    public var request: ImageRequest
    /// The picture, with what its decoder attached.
    public var container: ImageContainer

    /// A context of these.
    public init(request: ImageRequest, container: ImageContainer) {
        self.request = request
        self.container = container
    }
}
