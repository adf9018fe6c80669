#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Tessera

/// Hands the bytes over as they came, with what they say of their picture; decodes nothing but previews.
struct OriginalDecoder: ImageDecoding {
    private let previews: (any ImageDecoding)?
    private let options: DecodingOptions

    /// A decoder for what `context` speaks of; nil as long as nothing can be shown of it.
    init?(_ context: ImageDecodingContext) {
        options = context.request.decoding
        if context.isCompleted {
            previews = nil
        } else {
            guard
                let decoder = ImageDecoders.Default(partiallyDownloadedData: context.data, context: context)
            else { return nil }
            previews = decoder
        }
    }

    func decode(_ data: Data) throws -> ImageContainer {
        var container = try ImageDecoders.Empty().decode(data)
        // What can't be read here is written all the same.
        container.header = try? ImageSource.header(of: [UInt8](data), options: options)
        return container
    }

    func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? {
        previews?.decodePartiallyDownloadedData(data)
    }
}
