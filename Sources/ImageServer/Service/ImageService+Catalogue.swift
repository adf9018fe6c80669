internal import ImageEffects
internal import ImageFormats
internal import ImageLoading
internal import Raster

extension ImageService {
    private func json(_ members: [(String, JSONValue)]) -> ServiceResponse {
        var response = ServiceResponse(JSONValue.object(members).compactText, mediaType: "application/json")
        response.fields.append(("Cache-Control", "no-cache"))
        return response
    }

    /// `/api/effects`: the table of effects, as JSON.
    func answerEffectTable(_ request: ServiceRequest) -> ServiceResponse {
        var response = ServiceResponse(EffectTable.json, mediaType: "application/json")
        response.fields.append(("Cache-Control", "max-age=3600"))
        let tag = EntityTag.named(EffectTable.json)
        response.fields.append(("ETag", tag))
        response.fields.append(("Last-Modified", HTTPDate.text(ProgramDate.seconds)))
        return request.isUnchanged(tag, ProgramDate.seconds) ? ServiceResponse(304, response.fields) : response
    }

    // MARK: Folders

    /// `/api/pictures?folder=…`: the folders and images in a folder.
    func answerListing(_ query: URLQuery, _ request: ServiceRequest) async throws(RequestFailure) -> ServiceResponse {
        let folder = query["folder"] ?? ""
        try request.grant.check(folder: folder)
        #if HTTP
        try await authorizer?.check(.folder(folder), for: request)
        #endif
        let search = query["search"] ?? ""
        let order = PictureOrder(query["sort"], query["order"])
        let offset = try Self.number(query["offset"], "offset", in: 0...1_000_000) ?? 0
        let limit = try Self.number(query["limit"], "limit", in: 1...1000) ?? 100
        let folders = folders
        let contents: FolderContents = try await Self.readers.run { () throws(RequestFailure) in
            search.isEmpty ? try folders.list(folder) : try folders.search(search, in: folder)
        }
        let pictures = contents.pictures.sorted(by: order.precedes)
        let part = pictures.dropFirst(offset).prefix(limit)
        let subfolders = (offset == 0 ? contents.folders : []).map {
            JSONValue.object([("name", .string($0.name)), ("path", .string($0.path))])
        }
        return json([
            ("folder", .string(folder)), ("folders", .array(subfolders)),
            ("pictures", .array(part.map { .object(Self.members($0)) })), ("total", .integer(pictures.count)),
            ("complete", .boolean(contents.isComplete)),
        ])
    }

    private static func members(_ picture: ListedPicture) -> [(String, JSONValue)] {
        [
            ("id", .string(picture.identifier.path)), ("name", .string(picture.identifier.name)),
            ("bytes", .integer(picture.byteCount)),
            ("modified", .string(HTTPDate.internetText(picture.modificationTime.seconds))),
            ("format", .string(picture.format?.filenameExtension ?? "")),
        ]
    }

    /// A gain map's size, and the headrooms of both renditions in stops above white.
    private static func members(_ map: GainMap) -> [(String, JSONValue)] {
        [
            ("width", .integer(map.image.size.width)), ("height", .integer(map.image.size.height)),
            ("baseHeadroom", .number(map.metadata.baseHeadroom)),
            ("alternateHeadroom", .number(map.metadata.alternateHeadroom)),
        ]
    }

    private static func number(
        _ text: String?, _ name: String, in range: ClosedRange<Int>
    ) throws(RequestFailure) -> Int? {
        guard let text else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw .malformed("\(name) is a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// The threads for blocking file access.
    private static let readers = ImageExecutor(width: 4)

    // MARK: Images

    /// `/api/picture/ID`: an image's size, format and dates.
    func answerDescription(
        _ segments: some Sequence<String>, _ request: ServiceRequest
    ) async throws(RequestFailure) -> ServiceResponse {
        let picture = try await open.picture(in: file(URLPath.identifier(in: segments), for: request))
        let file = picture.file
        let header = picture.header
        var members: [(String, JSONValue)] = [
            ("id", .string(file.identifier.path)), ("name", .string(file.identifier.name)),
            ("bytes", .integer(file.byteCount)),
            ("modified", .string(HTTPDate.internetText(file.modificationTime.seconds))),
            ("format", .string(header.format.filenameExtension)), ("width", .integer(picture.size.width)),
            ("height", .integer(picture.size.height)), ("hasAlpha", .boolean(header.hasAlpha)),
        ]
        if let name = header.profile.highDynamicRangeName { members.append(("highDynamicRange", .string(name))) }
        if let map = await picture.gainMap()?.map { members.append(("gainMap", .object(Self.members(map)))) }
        if picture.isAnimated { members.append(("animated", .boolean(true))) }
        members.append(("iiif", .string("\(request.basePath)\(request.pathPrefix)/iiif/3/\(file.identifier.encoded)")))
        if header.format == .jpng {
            let parts = try await Self.readers.run { () throws(RequestFailure) in try JPNGParts(file) }
            let sizes: [(String, JSONValue)] = [
                ("photoBytes", .integer(parts.photo.count)), ("maskBytes", .integer(parts.mask.count)),
            ]
            members.append(("jpng", .object(sizes)))
        }
        return json(members)
    }
}
