internal import ImageFormats
internal import Raster

/// The object of a `tessera_image`.
final class ImageHandle: Sendable {
    /// Where the image's file is.
    enum Origin: Sendable {
        case path(String)
        case source(Source)
    }

    let image: Image
    /// The file and how it was opened; nil for pixels.
    let origin: (place: Origin, settings: OpenSettings)?

    init(_ image: Image) {
        self.image = image
        origin = nil
    }

    /// Opens an image by its header.
    init(_ place: Origin, _ settings: OpenSettings) throws(ImageError) {
        switch place {
        case .path(let path):
            let encoded = try EncodedImage(path: path, options: settings.decoding, registry: settings.registry)
            image = Image(deferred: encoded)
        case .source(let source):
            let encoded = try EncodedImage(source, options: settings.decoding, registry: settings.registry)
            image = Image(deferred: encoded)
        }
        origin = (place, settings)
    }

    /// The decoder of the file, if there is one.
    var encoded: EncodedImage? { image.provider as? EncodedImage }
}
