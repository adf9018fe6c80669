internal import ImageEffects
internal import ImageFormats
internal import Raster

extension ImageService {
    /// `/image/ID?…`: effects by address.
    func answerEffects(
        _ segments: [String], _ query: URLQuery, _ request: ServiceRequest
    ) async throws(RequestFailure) -> ServiceResponse {
        let picture = try await open.picture(in: file(identifier(segments)))
        let asked = try EffectQuery(query.items)
        var versions = ""
        var others: [(name: String, picture: ServedPicture)] = []
        for name in asked.pictures {
            let other = try await open.picture(in: file(name))
            others.append((name, other))
            versions += " \(other.file.version)"
        }
        let negotiation = ImageFormatNegotiation(accept: request.accept) { CodecRegistry.default.canEncode($0) }
        let isAnimated = picture.isAnimated
        func format(hasAlpha: Bool) throws(RequestFailure) -> ImageFormat {
            let format = asked.format.format(
                of: picture.header.format, hasAlpha: hasAlpha, isAnimated: isAnimated, negotiation: negotiation)
            guard CodecRegistry.default.canEncode(format) else {
                throw RequestFailure(501, "\(format) can't be written by this server")
            }
            return format
        }
        // Effects make a picture transparent that wasn't, and the other way round.
        let formats = OutputFormats(opaque: try format(hasAlpha: false), transparent: try format(hasAlpha: true))
        let key = "image \(asked.canonical) \(formats.key)\(versions)"
        let fields: [(name: String, value: String)] = asked.format == .automatic ? [("Vary", "Accept")] : []
        return try await respond(picture, key, request, fields: fields) {
            [renderer, others, asked] () throws(RequestFailure) in
            let pictures: [String: EffectPicture] = try await Self.images(others)
            do throws(ImageError) {
                let chain = try asked.chain(pictures: pictures)
                let context = try EffectContext(options: asked.options(maximumPixelCount: renderer.maximumPixelCount))
                guard isAnimated, formats.holdsFrames else {
                    return try await renderer.render(
                        chain, in: context, of: picture, as: formats, quality: asked.quality)
                }
                return try await renderer.renderFrames(
                    chain, in: context, of: picture, as: formats, quality: asked.quality)
            } catch {
                throw RequestFailure(rendering: error)
            }
        }
    }
    /// Masks and overlays, by their identifiers.
    private static func images(
        _ others: [(name: String, picture: ServedPicture)]
    ) async throws(RequestFailure) -> [String: EffectPicture] {
        var pictures: [String: EffectPicture] = [:]
        for (name, other) in others {
            do throws(ImageError) {
                pictures[name] = EffectPicture(try await other.image(), reference: name)
            } catch {
                throw RequestFailure(rendering: error)
            }
        }
        return pictures
    }
}
