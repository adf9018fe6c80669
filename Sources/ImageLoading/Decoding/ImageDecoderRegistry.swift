internal import ImageFormats

/// Finds decoders for bytes: what was registered last is asked first.
///
/// ```swift
/// ImageDecoderRegistry.shared.register { context in
///     let isSVG = context.urlResponse?.url?.absoluteString.hasSuffix(".svg") ?? false
///     return isSVG ? ImageDecoders.Empty() : nil
/// }
/// ```
public final class ImageDecoderRegistry: Sendable {
    /// The registry that pipelines use unless they are given another.
    public static let shared = ImageDecoderRegistry()

    private let list = RegistrationList<@Sendable (ImageDecodingContext) -> (any ImageDecoding)?>()

    /// A registry with `ImageDecoders.Default`, and behind it `ImageDecoders.Empty` for videos, so that their bytes can
    /// be handed to a player.
    public init() {
        register { context in
            ImageFormat(video: context.data, isComplete: context.isCompleted).map { ImageDecoders.Empty(assetType: $0) }
        }
        register(ImageDecoders.Default.self)
    }

    /// Has decoders of `type` asked first.
    /// - Returns: What the registration can be taken back by.
    @discardableResult
    public func register(_ type: any ImageDecoderRegistering.Type) -> RegistrationToken {
        register { context in
            context.isCompleted
                ? type.init(data: context.data, context: context)
                : type.init(partiallyDownloadedData: context.data, context: context)
        }
    }

    /// Has `makeDecoder` asked first. It returns nil for bytes that it has no decoder for.
    ///
    /// It is called on any thread, may be called again with more bytes after it has returned nil, and may itself change
    /// the registry.
    /// - Returns: What the registration can be taken back by.
    @discardableResult
    public func register(
        _ makeDecoder: @escaping @Sendable (ImageDecodingContext) -> (any ImageDecoding)?
    ) -> RegistrationToken {
        list.add(makeDecoder)
    }

    /// Takes a registration back.
    public func unregister(_ token: RegistrationToken) { list.remove(token) }

    /// Removes every decoder, those that were there from the beginning too.
    public func clear() { list.removeAll() }

    /// A decoder for the context's bytes; nil where nobody has one, or none before there are more bytes.
    public func decoder(for context: ImageDecodingContext) -> (any ImageDecoding)? {
        for makeDecoder in list.elements {
            if let decoder = makeDecoder(context) { return decoder }
        }
        return nil
    }
}
