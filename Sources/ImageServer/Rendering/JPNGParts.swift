internal import ImageFormats
internal import JPNGContainer
internal import Raster

/// The two files that a JPNG is put together of.
struct JPNGParts: Sendable {
    /// The colours, a JPEG.
    let photo: [UInt8]
    /// The transparency, a PNG or a JPEG.
    let mask: [UInt8]
    /// What the mask is.
    let maskMediaType: String

    init(_ file: OpenedFile) throws(RequestFailure) {
        do throws(ImageError) {
            let bytes = try file.bytes()
            do throws(JPNGError) {
                let container = try JPNGContainer(verifying: bytes.span.bytes)
                photo = Array(bytes[container.colorRange])
                mask = Array(bytes[container.maskRange])
                maskMediaType = container.maskKind == .png ? ImageFormat.png.mimeType : ImageFormat.jpeg.mimeType
            } catch {
                throw ImageError(.corrupt, error.message)
            }
        } catch {
            throw RequestFailure(opening: error)
        }
    }
}
