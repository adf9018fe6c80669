internal import ImageFormats
internal import ImageLoading
internal import Raster

extension ImageService {
    /// `/dzi/ID.dzi` and `/dzi/ID_files/LEVEL/COLUMN_ROW.FORMAT`: Deep Zoom.
    func answerDeepZoom(
        _ segments: [String], _ query: URLQuery, _ request: ServiceRequest
    ) async throws(RequestFailure) -> ServiceResponse {
        let asked = try DeepZoomRequest(segments, query: query)
        if let format = asked.kind.format { try checkWritable(format) }
        let picture = try await open.picture(in: file(asked.identifier, for: request))
        guard let tile = try asked.tile(of: picture.size) else {
            return document(
                try asked.document(of: picture.size, format: picture.tileFormat), "application/xml", of: picture,
                request)
        }
        return try await respond(tile, of: picture, request)
    }

    /// `/zoomify/ID/ImageProperties.xml` and `/zoomify/ID/TileGroupN/TIER-COLUMN-ROW.jpg`: Zoomify.
    func answerZoomify(
        _ segments: [String], _ request: ServiceRequest
    ) async throws(RequestFailure) -> ServiceResponse {
        let asked = try ZoomifyRequest(segments)
        let picture = try await open.picture(in: file(asked.identifier, for: request))
        guard let tile = try asked.tile(of: picture.size) else {
            return document(try asked.document(of: picture.size), "application/xml", of: picture, request)
        }
        return try await respond(tile, of: picture, request)
    }

    /// `/xyz/ID/Z/X/Y.FORMAT` and `/xyz/ID/tilejson.json`: tiles as maps have them.
    func answerXYZ(
        _ segments: [String], _ request: ServiceRequest
    ) async throws(RequestFailure) -> ServiceResponse {
        let asked = try XYZRequest(segments)
        if let format = asked.kind.format { try checkWritable(format) }
        let picture = try await open.picture(in: file(asked.identifier, for: request))
        guard let tile = try asked.tile(of: picture.size) else {
            let address = "\(request.base)/xyz/\(picture.file.identifier.encoded)"
            let json = try asked.document(of: picture.size, address: address, format: picture.tileFormat)
            return document(json, "application/json", of: picture, request)
        }
        return try await respond(tile, of: picture, request)
    }

    private func respond(
        _ tile: TileRequest, of picture: ServedPicture, _ request: ServiceRequest
    ) async throws(RequestFailure) -> ServiceResponse {
        var rendering = tile.rendering
        if tile.canvas != tile.size { rendering.canvas = tile.canvas }
        return try await respond(rendering, of: picture, request)
    }

    /// A document about a picture, which clients keep for a minute at most.
    /// - Parameter name: What tells it from other documents and versions; nil for its own bytes.
    func document(
        _ bytes: [UInt8], _ mediaType: String, named name: String? = nil, of picture: ServedPicture,
        _ request: ServiceRequest, fields: [(name: String, value: String)] = []
    ) -> ServiceResponse {
        let tag = EntityTag.named(name ?? String(decoding: bytes, as: UTF8.self))
        var fields = fields
        fields += [
            ("ETag", tag), ("Cache-Control", "public, max-age=\(min(60, configuration.maximumAge))"),
            ("Last-Modified", HTTPDate.text(picture.file.modificationTime.seconds)),
        ]
        if isUnchanged(tag, picture.file, request) { return ServiceResponse(304, fields) }
        fields.append(("Content-Type", mediaType))
        return ServiceResponse(200, fields, body: .bytes(ResponseBytes(bytes)))
    }
}

extension ServedPicture {
    /// What tiles are best had in.
    var tileFormat: ImageFormat { header.hasAlpha && codecs.canEncode(.png) ? .png : .jpeg }
}
