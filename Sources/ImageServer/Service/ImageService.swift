internal import ImageEffects
internal import ImageFormats
internal import ImageLoading
package import Raster

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Answers requests: finds out what is asked for, and has it made once.
///
/// It knows nothing of connections. All it takes is bounded by the configuration.
package final class ImageService: Sendable {
    package let configuration: ImageServerConfiguration
    let folders: PictureFolders
    let open: OpenPictures
    let renderer: PictureRenderer
    let responses: RenderedPictures
    let limits: RenderingLimits
    #if HTTP
    let remote: RemotePictures?
    #endif
    #if Server
    private let signature: URLSignature?
    #endif
    let pages = Pages()

    /// - Throws: What is wrong with the folders or the origins.
    package init(_ configuration: ImageServerConfiguration) throws(ImageError) {
        self.configuration = configuration
        folders = try PictureFolders(configuration.folders)
        open = OpenPictures(countLimit: 64, storeByteLimit: 4 << 30)
        var renderer = PictureRenderer(decodedByteLimit: configuration.memoryCacheByteLimit / 2)
        renderer.quality = configuration.quality
        renderer.background = configuration.background
        renderer.maximumPixelCount = configuration.maximumOutputPixelCount
        self.renderer = renderer
        responses = RenderedPictures(configuration)
        #if HTTP
        var origins: [Origin] = []
        for origin in configuration.origins { origins.append(try Origin(origin)) }
        remote = origins.isEmpty ? nil : RemotePictures(RemotePictures.Configuration(origins: origins))
        #endif
        #if Server
        signature = configuration.signingKeys.isEmpty ? nil : URLSignature(keys: configuration.signingKeys)
        #endif
        limits = RenderingLimits(
            maximumWidth: configuration.maximumOutputSide, maximumHeight: configuration.maximumOutputSide,
            maximumArea: configuration.maximumOutputPixelCount, maximumUpscaling: configuration.maximumUpscaling,
            maximumRotatedArea: configuration.maximumOutputPixelCount / 2)
    }

    /// The response to `request`, whatever it is.
    package func respond(to request: ServiceRequest) async -> ServiceResponse {
        var response: ServiceResponse
        do throws(RequestFailure) {
            switch request.method {
            case .get, .head: response = try await answer(request)
            case .options: response = Self.preflight
            case .other:
                throw RequestFailure(405, "only GET, HEAD and OPTIONS are answered here")
            }
        } catch {
            response = ServiceResponse(error)
            if error.status == 405 { response.fields.append(("Allow", "GET, HEAD, OPTIONS")) }
        }
        response.fields.append(("Access-Control-Allow-Origin", "*"))
        response.fields.append(("X-Content-Type-Options", "nosniff"))
        return response
    }

    private static let preflight = ServiceResponse(
        204,
        [
            ("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS"), ("Access-Control-Allow-Headers", "*"),
            ("Access-Control-Max-Age", "86400"), ("Allow", "GET, HEAD, OPTIONS"),
        ])

    private func answer(_ request: ServiceRequest) async throws(RequestFailure) -> ServiceResponse {
        let parts = request.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let segments = try URLPath(parts.first ?? "").rawSegments
        let query = try URLQuery(parts.dropFirst().first ?? "")
        #if Server
        if let signature, Self.picturePrefixes.contains(segments.first ?? "") {
            let now = Int64(time(nil))
            let end = try signature.check(request.target, now: now)
            var response = try await answer(segments, query, request)
            if let end { response.endFreshness(in: end - now) }
            return response
        }
        #endif
        return try await answer(segments, query, request)
    }

    private func answer(
        _ segments: [String], _ query: URLQuery, _ request: ServiceRequest
    ) async throws(RequestFailure) -> ServiceResponse {
        let rest = Array(segments.dropFirst())
        switch segments.first ?? "" {
        case "iiif": return try await answerIIIF(rest, request)
        case "dzi": return try await answerDeepZoom(rest, query, request)
        case "zoomify": return try await answerZoomify(rest, request)
        case "xyz": return try await answerXYZ(rest, request)
        case "image": return try await answerEffects(rest, query, request)
        case "original": return try await answerOriginal(rest, request)
        case "jpng-part": return try await answerJPNGPart(rest, request)
        case "api": return try await answerCatalogue(rest, query, request)
        case "healthz", "readyz":
            guard rest.isEmpty else { break }
            return ServiceResponse("ok\n", mediaType: "text/plain; charset=utf-8")
        default:
            if let page = pages.response(for: segments, request) { return page }
        }
        throw RequestFailure(404, "there is nothing here; / has the pictures, and /docs the addresses")
    }

    /// Where pictures are, which are all that can have to be signed.
    private static let picturePrefixes: Set<String> = [
        "iiif", "dzi", "zoomify", "xyz", "image", "original", "jpng-part",
    ]

    // MARK: Pictures

    /// The file that an identifier in an address names.
    func file(_ identifier: String) async throws(RequestFailure) -> OpenedFile {
        #if HTTP
        if let remote, RemotePictures.isAddress(identifier) { return try await remote.open(RemoteAddress(identifier)) }
        #endif
        return try folders.open(PictureIdentifier(decoded: identifier))
    }

    /// The identifier in what is left of a path: one segment, or several.
    func identifier(_ rawSegments: some Sequence<String>) throws(RequestFailure) -> String {
        var decoded: [String] = []
        for segment in rawSegments { decoded.append(try URLPath.decode(segment)) }
        return decoded.joined(separator: "/")
    }
}
