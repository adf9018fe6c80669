public import Essentials
public import ImageFormats
internal import Raster

/// Makes pictures of bytes.
///
/// A pipeline makes one decoder for each download, with the first bytes for which the registry has one, and uses it to
/// the end, one call at a time. Make it a class if it has to keep something from one call to the next.
public protocol ImageDecoding: Sendable {
    /// The picture in `data`, which is everything.
    func decode(_ data: Data) throws -> ImageContainer

    /// A preview of the picture that `data` begins, which is everything so far; nil where there is nothing new to show.
    ///
    /// May be called any number of times, never two at a time. Bytes that arrive during a call are in the next one's.
    func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer?
}

extension ImageDecoding {
    /// Nil: no previews.
    public func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? { nil }
}

/// What a decoder can know of the bytes that it is to decode.
public struct ImageDecodingContext: Sendable {
    /// What was asked for.
    public var request: ImageRequest
    /// The bytes so far.
    public var data: Data
    /// Whether these are all.
    public var isCompleted: Bool
    /// What the server said; nil where none was asked.
    public var urlResponse: DataResponse?
    /// The codecs of the pipeline that asks.
    public var codecs: CodecRegistry

    /// A context of these.
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

/// Why a decoder has no picture, or not all of it.
public enum ImageDecodingError: Error {
    /// The bytes end too early or are damaged. What could be decoded is in the container: rows that couldn't are
    /// transparent, or black where there is no alpha, and frames are missing at the end.
    case incomplete(ImageContainer, ImageError)
}

extension ImageDecodingError: CustomStringConvertible {
    /// What is wrong with the bytes.
    public var description: String {
        switch self {
        case .incomplete(_, let error): error.description
        }
    }
}

/// A decoder that can be registered by its type.
public protocol ImageDecoderRegistering: ImageDecoding {
    /// Nil where the decoder isn't for these bytes, which are everything and will be given to `decode(_:)`.
    init?(data: Data, context: ImageDecodingContext)

    /// Nil where the decoder makes no previews of these bytes, which are the first; they and those that follow will be
    /// given to `decodePartiallyDownloadedData(_:)`, and all of them to `decode(_:)` in the end.
    init?(partiallyDownloadedData data: Data, context: ImageDecodingContext)
}

extension ImageDecoderRegistering {
    /// Nil: no previews.
    public init?(partiallyDownloadedData data: Data, context: ImageDecodingContext) { return nil }
}

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

    private let list: RegistrationList<@Sendable (ImageDecodingContext) -> (any ImageDecoding)?>
    private let ownTokens: [RegistrationToken]

    /// Whether it has the decoders that it had from the beginning, and no others.
    var hasOwnDecodersOnly: Bool { list.tokens == ownTokens }

    /// A registry with `ImageDecoders.Default`, and behind it `ImageDecoders.Empty` for videos, so that their bytes can
    /// be handed to a player.
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

    /// Has decoders of `type` asked first.
    /// - Returns: What the registration can be taken back by.
    @discardableResult
    public func register(_ type: any ImageDecoderRegistering.Type) -> RegistrationToken {
        list.add(Self.maker(of: type))
    }

    /// Has `makeDecoder` asked first. It returns nil for bytes that it has no decoder for.
    ///
    /// It is called on any thread, may be called again with more bytes after it has returned nil and for bytes that are to go
    /// to disk, and may itself change the registry.
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
        list.elements.lazy.compactMap { $0(context) }.first
    }
}
