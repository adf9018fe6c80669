internal import ImageFormats

extension ImageService {
    /// `POST /api/purge?image=ID` and `?folder=PATH`: removes everything that is cached of an image, or of a folder and the
    /// folders below it.
    /// - Throws: 401 without the operator's token, 404 if there is none, 400 for a query that names no image and no folder, 503
    ///   if shared results remain.
    func answerPurge(_ query: URLQuery, _ request: ServiceRequest) async throws(RequestFailure) -> ServiceResponse {
        guard !configuration.purgeTokens.isEmpty else { throw .noSuchPage }
        guard isOperator(request.authorization) else {
            throw RequestFailure(401, "a purge needs the operator's token, in the field Authorization: Bearer TOKEN")
        }
        let prefix: SignedPrefix
        switch (query["image"], query["folder"], query.items.count) {
        case (let image?, nil, 1):
            #if HTTP
            let identifier = RemotePictures.isAddress(image) ? try RemoteAddress(image).text : image
            #else
            let identifier = image
            #endif
            prefix = SignedPrefix(image: identifier)
        case (nil, let folder?, 1):
            prefix = SignedPrefix(folder: folder.hasSuffix("/") ? String(folder.dropLast()) : folder)
        default: throw .malformed("write image=ID or folder=PATH; the empty path is everything")
        }
        let matches: @Sendable (String) -> Bool = { prefix.opens(image: $0) }
        // Sources first, so that a render that begins now reads them again.
        var fetched = 0
        #if HTTP
        fetched = (remote?.removeAll(where: matches) ?? 0) + (folders.buckets?.removeAll(where: matches) ?? 0)
        authorizer?.removeAll(where: matches)
        #endif
        let opened = open.removeAll(where: matches)
        renderer.tiles.removeAll(where: matches)
        let removed = await responses.removeAll(of: matches)
        var counts: [(String, JSONValue)] = [
            ("responsesInMemory", .integer(removed.memory)), ("responsesOnDisk", .integer(removed.disk)),
            ("openImages", .integer(opened)), ("fetchedImages", .integer(fetched)),
        ]
        #if HTTP
        if configuration.results != nil {
            counts.append(("sharedResults", .integer(try await responses.removeShared(of: prefix))))
        }
        #endif
        var response = ServiceResponse(JSONValue.object(counts).compactText, mediaType: "application/json")
        response.fields.append(("Cache-Control", "no-store"))
        return response
    }

    /// Whether an `Authorization` field has one of the tokens. The time that it takes reveals nothing of them.
    private func isOperator(_ authorization: String?) -> Bool {
        let scheme = "bearer "
        guard let authorization, authorization.lowercased().hasPrefix(scheme) else { return false }
        let token = Array(authorization.utf8.dropFirst(scheme.utf8.count))
        var isKnown = false
        for known in configuration.purgeTokens where Self.areEqual(known.secret, token) { isKnown = true }
        return isKnown
    }

    /// Compares in a time that depends on the length of `given` alone.
    private static func areEqual(_ secret: [UInt8], _ given: [UInt8]) -> Bool {
        var difference = UInt8(secret.count == given.count ? 0 : 1)
        for (index, byte) in given.enumerated() { difference |= byte ^ secret[index % secret.count] }
        return difference == 0
    }
}
