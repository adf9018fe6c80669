#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
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
