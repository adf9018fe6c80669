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
        return try await respond(asked.identifier, asked.tile, "application/xml", request) {
            (picture) throws(RequestFailure) in try asked.document(of: picture.size, format: picture.tileFormat)
        }
    }

    /// `/zoomify/ID/ImageProperties.xml` and `/zoomify/ID/TileGroupN/TIER-COLUMN-ROW.jpg`: Zoomify.
    func answerZoomify(
        _ segments: [String], _ request: ServiceRequest
    ) async throws(RequestFailure) -> ServiceResponse {
        let asked = try ZoomifyRequest(segments)
        return try await respond(asked.identifier, asked.tile, "application/xml", request) {
            (picture) throws(RequestFailure) in try asked.document(of: picture.size)
        }
    }

    /// `/xyz/ID/Z/X/Y.FORMAT` and `/xyz/ID/tilejson.json`: map tiles.
    func answerXYZ(
        _ segments: [String], _ request: ServiceRequest
    ) async throws(RequestFailure) -> ServiceResponse {
        let asked = try XYZRequest(segments)
        if let format = asked.kind.format { try checkWritable(format) }
        return try await respond(asked.identifier, asked.tile, "application/json", request) {
            (picture) throws(RequestFailure) in
            let address = "\(request.base)/xyz/\(picture.file.identifier.encoded)"
            return try asked.document(of: picture.size, address: address, format: picture.tileFormat)
        }
    }

    /// Responds with the requested tile, or with the document that describes the tiling.
    private func respond(
        _ identifier: String, _ tile: (PixelSize) throws(RequestFailure) -> TileRequest?, _ mediaType: String,
        _ request: ServiceRequest, _ bytes: (ServedPicture) throws(RequestFailure) -> [UInt8]
    ) async throws(RequestFailure) -> ServiceResponse {
        let picture = try await open.picture(in: file(identifier, for: request))
        guard let tile = try tile(picture.size) else {
            return document(try bytes(picture), mediaType, of: picture, request)
        }
        var rendering = tile.rendering
        if tile.canvas != tile.size { rendering.canvas = tile.canvas }
        return try await respond(rendering, of: picture, request)
    }

    /// Responds with a document about an image, which clients may cache for a minute at most.
    /// - Parameter name: Determines the entity tag; nil to use the document's bytes.
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
        if request.isUnchanged(tag, picture.file.modificationTime.seconds) { return ServiceResponse(304, fields) }
        fields.append(("Content-Type", mediaType))
        return ServiceResponse(200, fields, body: .bytes(ResponseBytes(bytes)))
    }
}

extension ServedPicture {
    /// The preferred tile format: PNG for images with transparency, else JPEG.
    var tileFormat: ImageFormat { header.hasAlpha && codecs.canEncode(.png) ? .png : .jpeg }
}
