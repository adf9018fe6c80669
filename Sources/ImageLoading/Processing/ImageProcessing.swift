public import ImageEffects
public import Raster

/// Something that is done to a picture after decoding.
///
/// The simplest processor has an `identifier` and changes an `Image`. What is to be done with an animation's frames
/// follows by itself: each is processed when it is shown.
public protocol ImageProcessing: Sendable {
    /// The picture after processing.
    func process(_ image: Image) throws -> Image
    /// The container after processing; with the processed picture, the animation's frames likewise and without encoded
    /// bytes unless said otherwise.
    func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer

    /// What tells the processor and its parameters from every other, the same in every run.
    var identifier: String { get }
    /// The same in parts; made of `identifier` unless said otherwise. Caches are keyed by it.
    var identity: EffectIdentity { get }
}

extension ImageProcessing {
    /// `identifier` alone.
    public var identity: EffectIdentity { EffectIdentity(identifier) }

    /// The container with the processed picture: its animation's frames are processed when they are shown, and the encoded
    /// bytes, which are of other pixels, are gone.
    ///
    /// What isn't decoded here, such as a video, stays as it is.
    public func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer {
        guard !container.isPlaceholder else { return container }
        var result = container
        result.image = try process(container.image)
        result.data = nil
        result.animation = container.animation?.processed(by: self)
        return result
    }
}

/// A processor that has a picture not decoded yet decoded no larger than it needs.
///
/// It gets such pictures where it is a request's first.
public protocol DeferredImageProcessing: ImageProcessing {}

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

extension EffectIdentity {
    /// The identity as people read it: `resize(100.0, points)`.
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
