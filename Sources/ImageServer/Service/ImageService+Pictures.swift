internal import ImageFormats
internal import ImageLoading
internal import Raster

extension ImageService {
    /// Responds with `rendering` of an image, copying an encoded tile of the source where possible.
    func respond(
        _ rendering: PictureRendering, of picture: ServedPicture, _ request: ServiceRequest,
        fields: [(name: String, value: String)] = []
    ) async throws(RequestFailure) -> ServiceResponse {
        try await respond(
            picture, rendering.key, request, fields: fields,
            copied: { [renderer] () throws(RequestFailure) in
                try await RequestFailure.rendering { () async throws(ImageError) in
                    try await renderer.copiedTile(rendering, of: picture)
                }
            },
            cost: { [renderer] () throws(RequestFailure) in
                try RequestFailure.rendering { () throws(ImageError) in try renderer.cost(of: rendering, of: picture) }
            },
            { [renderer] () throws(RequestFailure) in
                try await RequestFailure.rendering { () async throws(ImageError) in
                    try await renderer.render(rendering, of: picture)
                }
            })
    }

    /// Responds with the result of `make`, which is cached under `key` and the files' versions.
    /// - Parameters:
    ///   - others: Further files that the result is made of.
    ///   - copied: Returns the result immediately if it needs no rendering, else nil.
    ///   - cost: The estimated cost of `make`.
    ///   - make: Renders the result once the queue admits it.
    func respond(
        _ picture: ServedPicture, _ key: String, _ request: ServiceRequest, others: [OpenedFile] = [],
        isKeptOnDisk: Bool = true, fields: [(name: String, value: String)],
        copied: () async throws(RequestFailure) -> RenderedPicture? = { () throws(RequestFailure) in nil },
        cost: @escaping @Sendable () throws(RequestFailure) -> CodingCost,
        _ make: @escaping @Sendable () async throws(RequestFailure) -> RenderedPicture
    ) async throws(RequestFailure) -> ServiceResponse {
        let file = picture.file
        let files = [file] + others
        let versionedKey = "\(files.map(\.version).joined(separator: " ")) \(key)"
        let sharedName = "\(file.identifier.path) \(files.map(\.sharedVersion).joined(separator: " ")) \(key)"
        let tag = EntityTag.named(sharedName)
        var fields = fields
        fields.append(("ETag", tag))
        fields.append(("Last-Modified", HTTPDate.text(file.modificationTime.seconds)))
        fields.append(("Cache-Control", "public, max-age=\(configuration.maximumAge)"))
        if request.isUnchanged(tag, file.modificationTime.seconds) { return ServiceResponse(304, fields) }
        let group = file.identifier.path
        var rendered = try await responses.picture(group, versionedKey, copied: copied)
        if rendered == nil {
            rendered = try await responses.picture(
                group, versionedKey, sharedName: sharedName, isKeptOnDisk: isKeptOnDisk, cost: cost, make)
        }
        guard let rendered else { throw RequestFailure(500, "the image wasn't made") }
        fields.append(("Content-Type", rendered.mediaType))
        var response = ServiceResponse(200, fields, body: .bytes(rendered.bytes))
        response.source = file
        return response
    }
}
