internal import ImageFormats
internal import ImageLoading
internal import Platform
package import Raster
internal import Synchronization

/// Answers requests: routes them, checks access, renders images and caches the results.
///
/// It is independent of connections. The configuration bounds its use of memory and time.
package final class ImageService: Sendable {
    package let configuration: ImageServerConfiguration
    let folders: PictureFolders
    let open: OpenPictures
    let files = SharedFiles()
    let renderer: PictureRenderer
    let responses: RenderCache
    let limits: RenderingLimits
    #if HTTP
    let remote: RemotePictures?
    #endif
    #if Server
    private let signature: URLSignature?
    #endif
    #if HTTP
    let authorizer: Authorizer?
    #endif
    private let clients: ClientPolicy
    let presets: Presets
    private let rates: RequestRates?
    private let basePath: BasePath
    private let pages = Pages()
    private let isStopping = Atomic(false)

    /// - Throws: `ImageError` for a folder, origin, host name, preset or signing key that is invalid.
    package init(_ configuration: ImageServerConfiguration) throws(ImageError) {
        if let results = configuration.results { _ = try S3Address(results) }
        self.configuration = configuration
        folders = try PictureFolders(
            configuration.folders, codecs: configuration.codecs, store: configuration.objectStore)
        open = OpenPictures(
            countLimit: 64, storeByteLimit: 4 << 30, codecs: configuration.codecs,
            indexFolder: configuration.cacheDirectory.map { $0 + "/indexes" })
        var renderer = PictureRenderer(decodedByteLimit: configuration.memoryCacheByteLimit / 2)
        renderer.codecs = configuration.codecs
        renderer.quality = configuration.quality
        renderer.background = configuration.background
        responses = RenderCache(configuration)
        #if HTTP
        var origins: [Origin] = []
        for origin in configuration.origins { origins.append(try Origin(origin)) }
        remote = origins.isEmpty ? nil : RemotePictures(RemotePictures.Configuration(origins: origins))
        #endif
        #if HTTP
        authorizer = try configuration.authorization.map { (service) throws(ImageError) in try Authorizer(service) }
        #else
        guard configuration.authorization == nil else {
            throw ImageError(.unsupported, "authorization needs the package trait HTTP")
        }
        #endif
        #if Server
        signature = configuration.signingKeys.isEmpty ? nil : try URLSignature(keys: configuration.signingKeys)
        #else
        guard configuration.signingKeys.isEmpty else {
            throw ImageError(.unsupported, "signed addresses need the package trait Server, for libcrypto")
        }
        #endif
        clients = try ClientPolicy(configuration)
        basePath = try BasePath(configuration.basePath)
        presets = try Presets(configuration)
        rates = configuration.requestRate.map { RequestRates(rate: $0) }
        limits = RenderingLimits(
            maximumWidth: configuration.maximumOutputSide, maximumHeight: configuration.maximumOutputSide,
            maximumArea: configuration.maximumOutputPixelCount, maximumUpscaling: configuration.maximumUpscaling,
            maximumRotatedArea: configuration.maximumOutputPixelCount / 2)
        renderer.limits = limits
        renderer.decodingByteLimit = responses.queue.byteLimit / 2
        self.renderer = renderer
    }

    /// Returns the response to `request`; failures become responses too.
    /// - Parameter metrics: Returns the text of `/metrics`; nil if there are no metrics.
    package func respond(
        to request: ServiceRequest, metrics: (@Sendable () -> String)? = nil
    ) async -> ServiceResponse {
        var request = request
        request.target = basePath.split(request.target).rest
        if request.basePath.isEmpty { request.basePath = basePath.text }
        let asked = request
        return await ServiceTrace.request(asked) { await respond(toPlaced: asked, metrics) }
    }

    /// Responds to a request whose target is without the base path.
    private func respond(
        toPlaced request: ServiceRequest, _ metrics: (@Sendable () -> String)?
    ) async -> ServiceResponse {
        var request = request
        var response: ServiceResponse
        do throws(RequestFailure) {
            try clients.check(host: request.host)
            try checkRate(request)
            switch request.method {
            case .get, .head, .post:
                #if HTTP
                if authorizer != nil { request.admission = Admission() }
                #endif
                response = try await answer(request, metrics)
                #if HTTP
                if let authorizer, let admission = request.admission {
                    response.limit(to: admission, by: authorizer.service, now: Int64(time(nil)))
                }
                #endif
            case .options: response = try clients.preflight(request)
            case .other: throw Self.refusedMethod(request)
            }
        } catch {
            response = ServiceResponse(error)
            if error.status == 405 {
                let methods = Route.methods(at: request.target).map(\.rawValue)
                response.fields.append(("Allow", methods.joined(separator: ", ")))
            }
            if error.status == 401 {
                let challenge = request.admission?.challenge ?? (request.method == .post ? "Bearer" : nil)
                if let challenge { response.fields.append(("WWW-Authenticate", challenge)) }
            }
            pages.dress(&response, of: error, for: request)
        }
        clients.describe(&response, to: request)
        response.fields.append(("X-Content-Type-Options", "nosniff"))
        return response
    }

    /// - Throws: 429 for a client with too many requests. Probes of balancers and monitors aren't counted.
    private func checkRate(_ request: ServiceRequest) throws(RequestFailure) {
        guard let rates, let client = request.client, request.method != .options,
            !["/healthz", "/readyz", "/metrics"].contains(request.target)
        else { return }
        try rates.check(client, now: Double(MonotonicClock.milliseconds) / 1000)
    }

    private func answer(
        _ request: ServiceRequest, _ metrics: (@Sendable () -> String)?
    ) async throws(RequestFailure) -> ServiceResponse {
        let parts = request.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let segments = try URLPath(parts.first ?? "").rawSegments
        let query = try URLQuery(parts.dropFirst().first ?? "")
        #if Server
        if let signature, !presets.areAll(of: segments, query) {
            let now = Int64(time(nil))
            let (segments, request, opening) = try authorize(segments, request, by: signature, now: now)
            if let session = opening.session { return session }
            var response = try await answer(segments, query, request, metrics)
            if let end = opening.end { response.endFreshness(in: end - now) }
            if opening.isByCookie { response.makePrivate() }
            return response
        }
        #endif
        if let route = Route.matching(segments) { try presets.check(route, segments, query) }
        return try await answer(segments, query, request, metrics)
    }

    private func answer(
        _ segments: [String], _ query: URLQuery, _ request: ServiceRequest, _ metrics: (@Sendable () -> String)?
    ) async throws(RequestFailure) -> ServiceResponse {
        guard let route = Route.matching(segments) else { throw .noSuchPage }
        guard route.methods.contains(request.method) else { throw Self.refusedMethod(request) }
        return try await route.handler(
            self, RoutedRequest(route: route, segments: segments, query: query, request: request, metrics: metrics))
    }

    private static func refusedMethod(_ request: ServiceRequest) -> RequestFailure {
        let methods = Route.methods(at: request.target).map(\.rawValue)
        return RequestFailure(
            405, "only \(methods.dropLast().joined(separator: ", ")) and \(methods.last ?? "") are answered here")
    }

    // MARK: Pages and the server itself

    /// A page or script that is embedded in the program.
    func answerPage(_ name: String, _ request: ServiceRequest) throws(RequestFailure) -> ServiceResponse {
        guard let page = pages.response(named: name, request) else { throw .noSuchPage }
        return page
    }

    /// `/assets/NAME`: scripts and stylesheets of the pages.
    func answerAsset(_ name: String, _ request: ServiceRequest) throws(RequestFailure) -> ServiceResponse {
        guard name != Pages.failurePage else { throw .noSuchPage }
        return try answerPage(name, request)
    }

    /// `/readyz`: whether further requests should come here.
    func answerReadiness() -> ServiceResponse {
        guard isStopping.load(ordering: .relaxed) else { return answerHealth() }
        return ServiceResponse(503, body: .bytes(ResponseBytes(Array("stopping\n".utf8))))
    }

    /// `/healthz`: whether the server lives.
    func answerHealth() -> ServiceResponse { ServiceResponse("ok\n", mediaType: "text/plain; charset=utf-8") }

    /// `/metrics`: counters and timings, if the server collects any.
    func answerMetrics(_ metrics: (@Sendable () -> String)?) throws(RequestFailure) -> ServiceResponse {
        guard let metrics else { throw .noSuchPage }
        return ServiceResponse(metrics(), mediaType: "text/plain; version=0.0.4; charset=utf-8")
    }

    // MARK: Images

    /// Opens the file that an identifier names: the only way to an image's bytes.
    /// - Parameter isDescribed: Whether only the image's size and the way to its authorization are answered.
    /// - Throws: 403 if `request` isn't granted the image, 404 if there is none, or the refusal of the operator's
    ///   authorization service.
    func file(
        _ identifier: String, for request: ServiceRequest, isDescribed: Bool = false
    ) async throws(RequestFailure) -> OpenedFile {
        #if HTTP
        let asks = !(isDescribed && configuration.authorization?.tokenService != nil)
        if let remote, RemotePictures.isAddress(identifier) {
            let address = try RemoteAddress(identifier)
            try request.grant.check(image: address.text)
            if asks { try await authorizer?.check(.image(address.text), for: request) }
            return try await remote.open(address)
        }
        #endif
        let identifier = try PictureIdentifier(decoded: identifier)
        try request.grant.check(image: identifier.path)
        #if HTTP
        if let buckets = folders.buckets, let address = try folders.address(of: identifier) {
            // The name has its extension already.
            if let authorizer, asks { try await authorizer.check(.image(identifier.path), for: request) }
            return try await buckets.open(identifier, at: address)
        }
        if let authorizer, asks {
            // The service decides by the whole name, with its extension. For a missing image it decides too, so that a
            // refusal doesn't reveal which images exist.
            let file = Result { () throws(RequestFailure) in try folders.open(identifier) }
            let name = (try? file.get())?.identifier ?? identifier
            try await authorizer.check(.image(name.path), for: request)
            return try file.get()
        }
        #endif
        return try folders.open(identifier)
    }

    // MARK: Figures

    /// Current values for `/metrics`.
    package var gauges: [(name: String, value: Int)] {
        let queue = responses.queue.totals
        let memory = responses.memoryTotals
        var gauges = [
            ("tessera_renders_running", queue.running), ("tessera_renders_waiting", queue.waiting),
            ("tessera_renders_refused", queue.refused), ("tessera_render_bytes", responses.queue.byteCount),
            ("tessera_cached_responses", memory.count),
            ("tessera_cached_response_bytes", memory.cost), ("tessera_open_pictures", open.count),
        ]
        #if HTTP
        if let counts = responses.shared?.counts {
            gauges += [
                ("tessera_results_hits", counts.hitCount), ("tessera_results_misses", counts.missCount),
                ("tessera_results_written", counts.writtenCount), ("tessera_results_failures", counts.failureCount),
            ]
        }
        if let requests = folders.buckets?.requests {
            gauges += [
                ("tessera_bucket_requests", requests.requestCount), ("tessera_bucket_retries", requests.retryCount),
                ("tessera_bucket_received_bytes", requests.receivedByteCount),
            ]
        }
        #endif
        if let rates { gauges.append(("tessera_requests_limited", rates.refusedCount)) }
        if let failureCount = responses.cacheFailureCount {
            gauges.append(("tessera_cache_writable", responses.cacheProblem == nil ? 1 : 0))
            gauges.append(("tessera_cache_failures", failureCount))
        }
        return gauges
    }

    /// Why the cache folder can't be written; nil if it can, or if there is none.
    package var cacheProblem: String? {
        get async {
            // The cache creates its folder first.
            await responses.flush()
            return responses.cacheProblem
        }
    }

    /// From now on `/readyz` answers 503.
    package func beginStopping() { isStopping.store(true, ordering: .relaxed) }

    /// Waits until the disk cache has everything that was rendered.
    package func end() async { await responses.flush() }
}
