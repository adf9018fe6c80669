public import Essentials
public import ImageFormats
internal import Raster

/// Decodes bytes to images.
///
/// A pipeline creates one decoder per download, as soon as the registry has one for the bytes so far, and keeps it to
/// the end, with one call at a time, on its `executor`. A decoder that needs state between calls can be a class.
public protocol ImageDecoding: Sendable {
    /// Decodes the complete file.
    func decode(_ data: Data) throws -> ImageContainer

    /// Decodes a preview from `data`, all bytes so far; nil if there is nothing new to show.
    ///
    /// May be called any number of times, never concurrently. Bytes that arrive during a call are passed to the next
    /// one.
    func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer?
}

extension ImageDecoding {
    /// Returns nil: no previews.
    public func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? { nil }
}

/// Context for choosing or making a decoder.
public struct ImageDecodingContext: Sendable {
    /// The request that the bytes belong to.
    public var request: ImageRequest
    /// The bytes received so far.
    public var data: Data
    /// Whether `data` is complete.
    public var isCompleted: Bool
    /// The server's response; nil for bytes that don't come from a server.
    public var urlResponse: DataResponse?
    /// The pipeline's codecs.
    public var codecs: CodecRegistry

    /// A context for the given bytes.
    public init(
        request: ImageRequest, data: Data, isCompleted: Bool = true, urlResponse: DataResponse? = nil,
        codecs: CodecRegistry = .default
    ) {
        self.request = request
        self.data = data
        self.isCompleted = isCompleted
        self.urlResponse = urlResponse
        self.codecs = codecs
    }
}

/// A decoder's error, which may include a partial image.
public enum ImageDecodingError: Error {
    /// The bytes are truncated or damaged. The container has the part that could be decoded: missing rows are
    /// transparent, or black without alpha, and frames may be missing at the end.
    case incomplete(ImageContainer, ImageError)
}

extension ImageDecodingError: CustomStringConvertible {
    /// The defect in the bytes.
    public var description: String {
        switch self {
        case .incomplete(_, let error): error.description
        }
    }
}

/// A decoder that can be registered by its type.
public protocol ImageDecoderRegistering: ImageDecoding {
    /// Nil if the decoder doesn't handle these bytes, which are complete and will be passed to `decode(_:)`.
    init?(data: Data, context: ImageDecodingContext)

    /// Nil if the decoder makes no previews of these bytes. They and those that follow will be passed to
    /// `decodePartiallyDownloadedData(_:)`, and finally all of them to `decode(_:)`.
    init?(partiallyDownloadedData data: Data, context: ImageDecodingContext)
}

extension ImageDecoderRegistering {
    /// Returns nil: no previews.
    public init?(partiallyDownloadedData data: Data, context: ImageDecodingContext) { return nil }
}

/// Finds decoders for bytes. The newest registration takes precedence.
///
/// ```swift
/// ImageDecoderRegistry.shared.register { context in
///     let isSVG = context.urlResponse?.url?.absoluteString.hasSuffix(".svg") ?? false
///     return isSVG ? ImageDecoders.Empty() : nil
/// }
/// ```
public final class ImageDecoderRegistry: Sendable {
    /// The registry that pipelines use by default.
    public static let shared = ImageDecoderRegistry()

    private let list: RegistrationList<@Sendable (ImageDecodingContext) -> (any ImageDecoding)?>
    private let ownTokens: [RegistrationToken]

    /// Whether the registry has exactly its initial decoders.
    var hasOwnDecodersOnly: Bool { list.tokens == ownTokens }

    /// Creates a registry with `ImageDecoders.Default`, and with `ImageDecoders.Empty` for videos, so that their bytes
    /// can be passed to a player.
    public init() {
        list = RegistrationList()
        _ = list.add { context in
            ImageFormat(video: context.data, isComplete: context.isCompleted).map { ImageDecoders.Empty(assetType: $0) }
        }
        _ = list.add(Self.maker(of: ImageDecoders.Default.self))
        ownTokens = list.tokens
    }

    private static func maker(
        of type: any ImageDecoderRegistering.Type
    ) -> @Sendable (ImageDecodingContext) -> (any ImageDecoding)? {
        { context in
            context.isCompleted
                ? type.init(data: context.data, context: context)
                : type.init(partiallyDownloadedData: context.data, context: context)
        }
    }

    /// Registers decoders of `type`, with precedence over earlier registrations.
    /// - Returns: A token for `unregister(_:)`.
    @discardableResult
    public func register(_ type: any ImageDecoderRegistering.Type) -> RegistrationToken {
        list.add(Self.maker(of: type))
    }

    /// Registers a closure that makes decoders, with precedence over earlier registrations. It returns nil for bytes
    /// that it doesn't handle.
    ///
    /// The closure is called on any thread. It may be called again with more bytes after it returned nil, and for bytes
    /// that are only stored on disk. It may change the registry.
    /// - Returns: A token for `unregister(_:)`.
    @discardableResult
    public func register(
        _ makeDecoder: @escaping @Sendable (ImageDecodingContext) -> (any ImageDecoding)?
    ) -> RegistrationToken {
        list.add(makeDecoder)
    }

    /// Removes a registration.
    public func unregister(_ token: RegistrationToken) { list.remove(token) }

    /// Removes all decoders, including the initial ones.
    public func clear() { list.removeAll() }

    /// Returns a decoder for the context's bytes; nil if no registration has one, or they need more bytes.
    public func decoder(for context: ImageDecodingContext) -> (any ImageDecoding)? {
        list.elements.lazy.compactMap { $0(context) }.first
    }
}
