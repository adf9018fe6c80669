public import Essentials
public import ImageFormats
public import Raster

/// Makes bytes of pictures, for the disk cache.
public protocol ImageEncoding: Sendable {
    /// The file for `image`.
    func encode(image: Image) throws -> Data
    /// The file for what is in `container`; its picture's unless said otherwise.
    func encode(_ container: ImageContainer, context: ImageEncodingContext) throws -> Data
}

extension ImageEncoding {
    /// The file for the container's picture.
    public func encode(_ container: ImageContainer, context: ImageEncodingContext) throws -> Data {
        try encode(image: container.image)
    }
}

/// What an encoder can know of the picture that it is to encode.
public struct ImageEncodingContext: Sendable {
    /// What was asked for.
    public var request: ImageRequest
    /// The picture, with what its decoder attached.
    public var container: ImageContainer
    /// The codecs of the pipeline that asks.
    public var codecs: CodecRegistry

    /// A context of these.
    public init(request: ImageRequest, container: ImageContainer, codecs: CodecRegistry = .default) {
        self.request = request
        self.container = container
        self.codecs = codecs
    }
}

/// Finds encoders for pictures: what was registered last is asked first.
///
/// ```swift
/// ImageEncoderRegistry.shared.register { context in
///     context.container.type == .webP ? ImageEncoders.ImageIO(type: .webP) : nil
/// }
/// ```
public final class ImageEncoderRegistry: Sendable {
    /// The registry that pipelines use unless they are given another.
    public static let shared = ImageEncoderRegistry()

    private let list = RegistrationList<@Sendable (ImageEncodingContext) -> (any ImageEncoding)?>()

    /// A registry with `ImageEncoders.Default`.
    public init() {
        register { _ in ImageEncoders.Default() }
    }

    /// Has `makeEncoder` asked first. It returns nil for pictures that it has no encoder for.
    ///
    /// It is called on any thread, and may itself change the registry.
    /// - Returns: What the registration can be taken back by.
    @discardableResult
    public func register(
        _ makeEncoder: @escaping @Sendable (ImageEncodingContext) -> (any ImageEncoding)?
    ) -> RegistrationToken {
        list.add(makeEncoder)
    }

    /// Takes a registration back.
    public func unregister(_ token: RegistrationToken) { list.remove(token) }

    /// Removes every encoder, the one that was there from the beginning too.
    public func clear() { list.removeAll() }

    /// An encoder for the context's picture; nil where nobody has one.
    public func encoder(for context: ImageEncodingContext) -> (any ImageEncoding)? {
        list.elements.lazy.compactMap { $0(context) }.first
    }
}
