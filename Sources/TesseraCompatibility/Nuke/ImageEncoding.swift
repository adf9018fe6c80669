public import Essentials
public import ImageLoading
public import Raster

/// An encoder that returns nil for an image that it can't encode, as in Nuke.
///
/// Pipelines and registries take it like any other: they need `ImageLoading.ImageEncoding`, which this protocol
/// refines. An encoder that throws the reason conforms to that one.
public protocol ImageEncoding: ImageLoading.ImageEncoding {
    /// Encodes `image`; nil if that isn't possible.
    func encode(image: PlatformImage) -> Data?
}

extension ImageEncoding {
    /// Encodes `image`.
    /// - Throws: `ImageError` with the code `unsupported` if the encoder returns nil.
    public func encode(image: Image) throws -> Data {
        let data: Data? = encode(image: image)
        guard let data else {
            throw ImageError(.unsupported, "\(Self.self) returned no data for an image of \(image.size)")
        }
        return data
    }
}
