internal import ImageEffects
internal import ImageFormats
internal import Raster

extension ImageService {
    /// `/image/ID?…`: effects from the query.
    func answerEffects(
        _ segments: [String], _ query: URLQuery, _ request: ServiceRequest
    ) async throws(RequestFailure) -> ServiceResponse {
        let picture = try await open.picture(in: file(URLPath.identifier(in: segments), for: request))
        let asked = try EffectQuery(presets.expanding(query))
        var others: [(name: String, picture: ServedPicture)] = []
        for name in asked.pictures {
            let other = try await open.picture(in: file(name, for: request))
            others.append((name, other))
        }
        let negotiation = ImageFormatNegotiation(accept: request.accept) { [renderer] in
            renderer.codecs.canEncode($0)
        }
        let isAnimated = picture.isAnimated
        let map = asked.isHighRange == false ? nil : await picture.gainMap()
        let isHighRange = map != nil && asked.isHighRange == true
        func format(hasAlpha: Bool) throws(RequestFailure) -> ImageFormat {
            let format = asked.format.format(
                of: picture.header.format, hasAlpha: hasAlpha, isAnimated: isAnimated, negotiation: negotiation,
                isHighRange: isHighRange)
            guard renderer.codecs.canEncode(format) else {
                throw RequestFailure(501, "\(format) can't be written by this server")
            }
            return format
        }
        // Effects can make an opaque image transparent, and the other way round.
        let formats = OutputFormats(opaque: try format(hasAlpha: false), transparent: try format(hasAlpha: true))
        let key = "image \(asked.canonical) \(formats.key)"
        let fields: [(name: String, value: String)] = asked.format == .automatic ? [("Vary", "Accept")] : []
        var limits = limits
        // A vector drawing has no pixel size to be enlarged from.
        if picture.isVector { limits.maximumUpscaling = .infinity }
        let isSequence = isAnimated && formats.holdsFrames(by: renderer.codecs)
        return try await respond(
            picture, key, request, others: others.map(\.picture.file), fields: fields,
            cost: { [renderer, others, asked, limits] () throws(RequestFailure) in
                try RequestFailure.rendering { () throws(ImageError) in
                    // The size of the result doesn't depend on the pixels of masks and overlays.
                    let plan = try asked.plan(
                        for: picture.size, isVector: picture.isVector, pictures: try Self.placeholders(others),
                        limits: limits)
                    return try renderer.cost(
                        of: plan, of: picture, as: formats, quality: asked.quality, pictures: others.map(\.picture),
                        frameCount: isSequence ? picture.frameCount : 1)
                }
            }
        ) { [renderer, others, asked, limits] () throws(RequestFailure) in
            let pictures: [String: EffectPicture] = try await Self.images(others)
            return try await RequestFailure.rendering { () async throws(ImageError) in
                let plan = try asked.plan(
                    for: picture.size, isVector: picture.isVector, pictures: pictures, limits: limits)
                guard isSequence else {
                    let resultMap = try map.map { (map) throws(ImageError) in
                        let options = asked.options(maximumPixelCount: limits.maximumArea)
                        return try asked.chain(pictures: pictures)
                            .gainMap(map.map, for: picture.size, in: EffectContext(options: options))
                    }
                    return try await renderer.render(
                        plan, of: picture, as: formats, quality: asked.quality, gainMap: resultMap ?? nil,
                        appliesMap: isHighRange)
                }
                return try await renderer.renderFrames(
                    asked.chain(pictures: pictures), plan, of: picture, as: formats, quality: asked.quality)
            }
        }
    }

    /// One-pixel stand-ins for masks and overlays, for planning.
    private static func placeholders(
        _ others: [(name: String, picture: ServedPicture)]
    ) throws(ImageError) -> [String: EffectPicture] {
        guard !others.isEmpty else { return [:] }
        let info = BitmapInfo(size: PixelSize(width: 1, height: 1), format: .rgba8, alpha: .premultiplied)
        let image = Image(try MutableBitmap(info).freeze())
        var pictures: [String: EffectPicture] = [:]
        for (name, _) in others { pictures[name] = EffectPicture(image, reference: name) }
        return pictures
    }

    /// The masks and overlays, decoded, by identifier.
    private static func images(
        _ others: [(name: String, picture: ServedPicture)]
    ) async throws(RequestFailure) -> [String: EffectPicture] {
        var pictures: [String: EffectPicture] = [:]
        for (name, other) in others {
            let image = try await RequestFailure.rendering { () async throws(ImageError) in try await other.image() }
            pictures[name] = EffectPicture(image, reference: name)
        }
        return pictures
    }
}
