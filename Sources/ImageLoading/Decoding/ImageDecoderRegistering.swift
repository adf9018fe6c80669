#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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
