internal import ImageFormats
internal import Raster

extension ImageService {
    /// `/iiif/3/…` and `/iiif/2/…`: the IIIF Image API.
    func answerIIIF(
        _ segments: [String], _ request: ServiceRequest
    ) async throws(RequestFailure) -> ServiceResponse {
        let version: IIIFVersion
        switch segments.first {
        case "3": version = .v3
        case "2": version = .v2
        default: throw RequestFailure(404, "/iiif/3/ and /iiif/2/ are the versions of IIIF that are served")
        }
        let asked = try IIIFRequest(Array(segments.dropFirst()), version: version)
        let base = "\(request.base)/iiif/\(version.number)/\(asked.encodedIdentifier)"
        if case .base = asked.kind {
            _ = try await file(asked.identifier, for: request, isDescribed: true)
            return ServiceResponse(303, [("Location", "\(base)/info.json")])
        }
        if case .image(let image) = asked.kind { try checkWritable(image.format) }
        let isDescribed = if case .information = asked.kind { version == .v3 } else { false }
        let picture = try await open.picture(in: file(asked.identifier, for: request, isDescribed: isDescribed))
        guard case .image(let image) = asked.kind else { return information(picture, version, base, request) }
        let rendering = try image.rendering(of: picture.size, limits: limits)
        let canonical = try image.canonical(of: picture.size, limits: limits)
        let link = "\(version.profileLink), <\(base)/\(canonical)>;rel=\"canonical\""
        return try await respond(rendering, of: picture, request, fields: [("Link", link)])
    }

    /// - Throws: 400 for a format that the server's codecs can't encode.
    func checkWritable(_ format: ImageFormat) throws(RequestFailure) {
        guard renderer.codecs.canEncode(format) else { throw .malformed("\(format) can't be written by this server") }
    }

    private func information(
        _ picture: ServedPicture, _ version: IIIFVersion, _ base: String, _ request: ServiceRequest
    ) -> ServiceResponse {
        var information = ImageInformation(
            version: version, id: base, size: picture.size, limits: limits, hasAlpha: picture.header.hasAlpha,
            hasColor: picture.header.colorModel != .gray, codecs: renderer.codecs)
        if version == .v3 {
            information.authorizationServices = authorizationServices(of: picture.file.identifier.encoded, request)
        }
        let services = information.authorizationServices.map { " \($0.compactText)" } ?? ""
        let mediaType = version.mediaType(accepting: request.accept)
        return document(
            information.json, mediaType, named: "\(picture.file.sharedVersion) \(mediaType) \(base)\(services)",
            of: picture,
            request,
            fields: [("Vary", "Accept"), ("Link", version.profileLink)])
    }
}
