public import ImageEffects
public import Raster

/// Processes an image after decoding.
///
/// A simple processor implements `identifier` and `process(_:)` for an `Image`. Animations need no more: each frame is
/// processed when it is displayed.
public protocol ImageProcessing: Sendable {
    /// Returns the processed image.
    func process(_ image: Image) throws -> Image
    /// Returns the processed container. By default, the image and the animation's frames are processed, and the encoded
    /// bytes are removed.
    func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer

    /// Identifies the processor and its parameters; must be unique, and the same in every run.
    var identifier: String { get }
    /// The identity in parts, used in cache keys; by default made from `identifier`.
    var identity: EffectIdentity { get }
}

extension ImageProcessing {
    /// An identity that consists of `identifier` alone.
    public var identity: EffectIdentity { EffectIdentity(identifier) }

    /// Returns the container with the processed image. Frames of an animation are processed when they are displayed,
    /// and the encoded bytes, which have other pixels, are removed.
    ///
    /// Containers whose bytes aren't decoded, such as videos, are returned unchanged.
    public func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        guard !container.isPlaceholder else { return container }
        var result = container
        result.image = try process(container.image)
        result.data = nil
        result.animation = container.animation?.processed(by: self)
        return result
    }
}

/// A processor that limits the decoding of a deferred image to what it needs.
///
/// It receives a deferred image if it is the first processor of a request.
public protocol DeferredImageProcessing: ImageProcessing {}

/// Context for processing an image.
public struct ImageProcessingContext: Sendable {
    /// The request that the image was loaded for.
    public var request: ImageRequest
    /// The server's response; nil for images that don't come from a server.
    public var urlResponse: DataResponse?
    /// Whether this is the final image, not a preview.
    public var isCompleted: Bool

    /// A context for the given request.
    public init(request: ImageRequest, urlResponse: DataResponse? = nil, isCompleted: Bool = true) {
        self.request = request
        self.urlResponse = urlResponse
        self.isCompleted = isCompleted
    }
}

extension EffectIdentity {
    /// The identity as text: `resize(100.0, points)`.
    var text: String {
        let parameters = parameters.map { parameter in
            switch parameter {
            case .integer(let value): "\(value)"
            case .number(let value): "\(value)"
            case .flag(let value): "\(value)"
            case .text(let value): value
            case .identity(let value): value.text
            }
        }
        return parameters.isEmpty ? name : "\(name)(\(parameters.joined(separator: ", ")))"
    }
}
