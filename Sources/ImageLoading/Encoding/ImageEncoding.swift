public import Essentials
public import ImageFormats
public import Raster

/// Encodes images for the disk cache, on the `executor` of a pipeline.
public protocol ImageEncoding: Sendable {
    /// Encodes `image`.
    func encode(image: Image) throws -> Data
    /// Encodes the content of `container`; by default, only its image.
    func encode(_ container: ImageContainer, context: ImageEncodingContext) throws -> Data
}

extension ImageEncoding {
    /// Encodes the container's image.
    public func encode(_ container: ImageContainer, context: ImageEncodingContext) throws -> Data {
        try encode(image: container.image)
    }
}

/// Context for choosing an encoder and encoding.
public struct ImageEncodingContext: Sendable {
    /// The request that the image was loaded for.
    public var request: ImageRequest
    /// The image, with the data that its decoder attached.
    public var container: ImageContainer
    /// The pipeline's codecs.
    public var codecs: CodecRegistry

    /// A context for the given image.
    public init(request: ImageRequest, container: ImageContainer, codecs: CodecRegistry = .default) {
        self.request = request
        self.container = container
        self.codecs = codecs
    }
}

/// Finds encoders for images. The newest registration takes precedence.
///
/// ```swift
/// ImageEncoderRegistry.shared.register { context in
///     context.container.type == .webP ? ImageEncoders.ImageIO(type: .webP) : nil
/// }
/// ```
public final class ImageEncoderRegistry: Sendable {
    /// The registry that pipelines use by default.
    public static let shared = ImageEncoderRegistry()

    private let list = RegistrationList<@Sendable (ImageEncodingContext) -> (any ImageEncoding)?>()

    /// Creates a registry with `ImageEncoders.Default`.
    public init() {
        register { _ in ImageEncoders.Default() }
    }

    /// Registers a closure that makes encoders, with precedence over earlier registrations. It returns nil for images
    /// that it doesn't handle.
    ///
    /// The closure is called on any thread. It may change the registry.
    /// - Returns: A token for `unregister(_:)`.
    @discardableResult
    public func register(
        _ makeEncoder: @escaping @Sendable (ImageEncodingContext) -> (any ImageEncoding)?
    ) -> RegistrationToken {
        list.add(makeEncoder)
    }

    /// Removes a registration.
    public func unregister(_ token: RegistrationToken) { list.remove(token) }

    /// Removes all encoders, including the initial one.
    public func clear() { list.removeAll() }

    /// Returns an encoder for the context's image; nil if no registration has one.
    public func encoder(for context: ImageEncodingContext) -> (any ImageEncoding)? {
        list.elements.lazy.compactMap { $0(context) }.first
    }
}
