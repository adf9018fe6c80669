internal import ImageEffects
internal import ImageFormats
internal import ImageLoading
internal import Raster

extension ImageService {
    /// `/api/…`: what there is, for pages.
    func answerCatalogue(
        _ segments: [String], _ query: URLQuery, _ request: ServiceRequest
    ) async throws(RequestFailure) -> ServiceResponse {
        switch segments.first {
        case "pictures" where segments.count == 1: return try await listing(query)
        case "picture" where segments.count > 1:
            return try await description(of: identifier(segments.dropFirst()))
        case "effects" where segments.count == 1: return json(EffectTable.json, maximumAge: 3600)
        default: throw .noSuchPage
        }
    }

    private func json(_ text: String, maximumAge: Int = 0) -> ServiceResponse {
        var response = ServiceResponse(text, mediaType: "application/json")
        response.fields.append(("Cache-Control", maximumAge > 0 ? "max-age=\(maximumAge)" : "no-cache"))
        return response
    }

    // MARK: Folders

    private func listing(_ query: URLQuery) async throws(RequestFailure) -> ServiceResponse {
        let folder = query["folder"] ?? ""
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
        var object = JSONObject()
        object["folder"] = .text(folder)
        object["folders"] = .array(
            (offset == 0 ? contents.folders : []).map { .object([("name", .text($0.name)), ("path", .text($0.path))]) })
        object["pictures"] = .array(part.map { .object(Self.members($0)) })
        object["total"] = .number(pictures.count)
        object["complete"] = .flag(contents.isComplete)
        return json(object.text)
    }

    private static func members(_ picture: ListedPicture) -> [(String, JSONObject.Value)] {
        [
            ("id", .text(picture.identifier.path)), ("name", .text(picture.identifier.name)),
            ("bytes", .number(picture.byteCount)),
            ("modified", .text(HTTPDateText.internetText(picture.modificationTime.seconds))),
            ("format", .text(picture.format?.filenameExtension ?? "")),
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

    /// Where work waits for a disk.
    private static let readers = ImageExecutor(width: 4)

    // MARK: Pictures

    private func description(of identifier: String) async throws(RequestFailure) -> ServiceResponse {
        let picture = try await open.picture(in: file(identifier))
        let file = picture.file
        let header = picture.header
        var object = JSONObject()
        object["id"] = .text(file.identifier.path)
        object["name"] = .text(file.identifier.name)
        object["bytes"] = .number(file.byteCount)
        object["modified"] = .text(HTTPDateText.internetText(file.modificationTime.seconds))
        object["format"] = .text(header.format.filenameExtension)
        object["width"] = .number(picture.size.width)
        object["height"] = .number(picture.size.height)
        object["hasAlpha"] = .flag(header.hasAlpha)
        if picture.isAnimated { object["animated"] = .flag(true) }
        object["iiif"] = .text("/iiif/3/\(file.identifier.encoded)")
        if header.format == .jpng {
            let parts = try await Self.readers.run { () throws(RequestFailure) in try JPNGParts(file) }
            object["jpng"] = .object([
                ("photoBytes", .number(parts.photo.count)), ("maskBytes", .number(parts.mask.count)),
            ])
        }
        return json(object.text)
    }
}
