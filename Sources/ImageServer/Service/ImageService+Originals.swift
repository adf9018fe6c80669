internal import ImageFormats
internal import ImageLoading
internal import JPNGContainer
internal import Raster

extension ImageService {
    /// `/original/ID`: the file itself, or a byte range of it.
    func answerOriginal(
        _ segments: [String], _ request: ServiceRequest
    ) async throws(RequestFailure) -> ServiceResponse {
        let file = files.shared(try await file(URLPath.identifier(in: segments), for: request))
        let tag = EntityTag.named("\(file.identifier.path) \(file.sharedVersion)")
        let date = HTTPDate.text(file.modificationTime.seconds)
        let format = ImageFormat(filenameExtension: file.identifier.filenameExtension ?? "")
        var fields: [(name: String, value: String)] = [
            ("ETag", tag), ("Last-Modified", date), ("Accept-Ranges", "bytes"),
            ("Cache-Control", "public, max-age=\(configuration.maximumAge)"),
            ("Content-Type", format?.mimeType ?? "application/octet-stream"),
            // An SVG is a document that can contain scripts.
            ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox"),
        ]
        if request.isUnchanged(tag, file.modificationTime.seconds) { return ServiceResponse(304, fields) }
        let isSame = request.ifRange.map { $0 == tag || $0 == date } ?? true
        switch ByteRange(isSame ? request.range : nil, of: file.byteCount) {
        case .whole: return ServiceResponse(200, fields, body: .file(file, 0..<file.byteCount))
        case .part(let range):
            fields.append(("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.byteCount)"))
            return ServiceResponse(206, fields, body: .file(file, range))
        case .unsatisfiable:
            return ServiceResponse(416, [("Content-Range", "bytes */\(file.byteCount)")])
        }
    }

    /// `/jpng-part/ID/photo.jpg` and `/jpng-part/ID/mask.png`: the two parts of a JPNG.
    func answerJPNGPart(
        _ segments: [String], _ request: ServiceRequest
    ) async throws(RequestFailure) -> ServiceResponse {
        guard let part = segments.last, ["photo.jpg", "mask.png", "mask.jpg"].contains(part) else {
            throw RequestFailure(404, "a JPNG's parts are photo.jpg and mask.png")
        }
        let picture = try await open.picture(in: file(URLPath.identifier(in: segments.dropLast()), for: request))
        guard picture.header.format == .jpng else { throw RequestFailure(404, "this image is no JPNG") }
        let wantsPhoto = part == "photo.jpg"
        let byteCount = picture.file.byteCount
        return try await respond(
            picture, "jpng-part \(part)", request, isKeptOnDisk: false, fields: [],
            cost: { () throws(RequestFailure) in CodingCost(byteCount: 3 * byteCount) }
        ) { () throws(RequestFailure) in
            let parts = try JPNGParts(picture.file)
            return RenderedPicture(
                mediaType: wantsPhoto ? ImageFormat.jpeg.mimeType : parts.maskMediaType,
                bytes: wantsPhoto ? parts.photo : parts.mask)
        }
    }
}

/// The two files inside a JPNG.
struct JPNGParts: Sendable {
    /// The colour image, a JPEG.
    let photo: [UInt8]
    /// The alpha mask, a PNG or a JPEG.
    let mask: [UInt8]
    /// The mask's media type.
    let maskMediaType: String

    init(_ file: OpenedFile) throws(RequestFailure) {
        do throws(ImageError) {
            let bytes = try file.source.bytes(limit: OpenedFile.largestRead)
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
