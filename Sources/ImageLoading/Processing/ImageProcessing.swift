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
}
