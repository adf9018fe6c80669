public import Essentials
public import ImageLoading
internal import Raster

/// A decoder that returns nil for data that it can't decode, as in Nuke before version 11.
///
/// Pipelines and registries take it like any other: they need `ImageLoading.ImageDecoding`, which this protocol
/// refines. A decoder that throws the reason conforms to that one.
///
/// ```swift
/// struct DotDecoder: ImageDecoding {
///     func decode(_ data: Data) -> ImageContainer? { dot(data).map { ImageContainer(image: $0) } }
/// }
/// ```
public protocol ImageDecoding: ImageLoading.ImageDecoding {
    /// Decodes the complete file; nil if that isn't possible.
    func decode(_ data: Data) -> ImageContainer?
}

extension ImageDecoding {
    /// Decodes the complete file.
    /// - Throws: `ImageError` with the code `corrupt` if the decoder returns nil.
    public func decode(_ data: Data) throws -> ImageContainer {
        let container: ImageContainer? = decode(data)
        guard let container else {
            throw ImageError(.corrupt, "\(Self.self) returned no image for \(data.count) bytes")
        }
        return container
    }
}

/// A decoder that can be registered by its type and returns nil for data that it can't decode, as in Nuke 9.
public protocol ImageDecoderRegistering: ImageDecoding, ImageLoading.ImageDecoderRegistering {}
