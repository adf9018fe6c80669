#if HTTP
internal import Essentials
internal import ImageFormats
internal import ImageLoading
internal import ImagePyramid
internal import Platform
internal import Raster

/// Fetches and caches images from other servers, restricted to a list of origins.
///
/// A host's addresses are resolved and checked first, and the connection goes to one of the checked addresses, whatever
/// a second lookup would return. Every redirect is checked like the first address. Proxies aren't used, since they
/// would resolve hosts themselves. Images are kept in unnamed files that end with the process, and are revalidated once
/// stale; if their server then fails, the stale copy is served.
package final class RemotePictures: Sendable {
    /// A fetched image.
    private struct Kept: Sendable {
        let file: OpenedFile
        var freshness: CacheFreshness
        /// Request headers that revalidate it.
        let conditions: HTTPHeaders
    }

    private enum Outcome: Sendable {
        case picture(Kept)
        case unchanged(CacheFreshness)
        case redirection(RemoteAddress)
    }

    package let configuration: Configuration
    private let kept: ByteBoundedCache<String, Kept>
    private let fetches = SharedRenders<OpenedFile>()
    private let queue: RenderQueue

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        kept = ByteBoundedCache(costLimit: configuration.keptByteCount, countLimit: configuration.keptCount)
        queue = RenderQueue(width: configuration.fetchCount, depth: configuration.waitingCount)
    }

    /// Whether an identifier is an HTTP address, as opposed to a path below a folder.
    package static func isAddress(_ identifier: String) -> Bool {
        let start = identifier.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://")
    }

    /// Opens the image at `address`, from the cache or its server.
    /// - Throws: 403 if the address, a redirect or the host's IP addresses aren't allowed; 404 if the server has no
    ///   such image; 413 if it has too many bytes; 502 if the server fails, 504 if it is too slow, 503 if too many
    ///   images are being fetched.
    package func open(_ address: RemoteAddress) async throws(RequestFailure) -> OpenedFile {
        guard configuration.origins.contains(where: { $0.allows(address) }) else { throw Self.notAllowed }
        let key = address.text
        if let known = kept.value(for: key), known.freshness.isFresh(at: Int64(time(nil))) { return known.file }
        return try await fetches.value(for: key) { [self] () throws(RequestFailure) in
            let known = kept.value(for: key)
            do throws(RequestFailure) {
                let new = try await queue.perform { () throws(RequestFailure) in
                    let span = ServiceTrace.Name("fetch", ["server.address": address.host])
                    return try await ServiceTrace.span(span) { () async throws(RequestFailure) in
                        try await withTimeLimit(configuration.timeout, orThrow: Self.isLate) {
                            () throws(RequestFailure) in try await self.fetch(address, known)
                        }
                    }
                }
                kept.insert(new, for: key, cost: new.file.byteCount)
                return new.file
            } catch {
                if error.status == 404 { kept.remove(key) }
                // Serve the stale copy, and don't ask a failing server again for the minimum lifetime.
                guard var known, error.status >= 500 else { throw error }
                known.freshness = limited(CacheFreshness(validatedAt: Int64(time(nil)), lifetime: 0))
                kept.insert(known, for: key, cost: known.file.byteCount)
                return known.file
            }
        }
    }

    /// Drops the fetched images that match.
    /// - Returns: How many there were.
    package func removeAll(where matches: (_ address: String) -> Bool) -> Int { kept.removeAll(where: matches) }

    private static let notAllowed = RequestFailure(403, "this server doesn't fetch images from that address")
    private static let isLate = RequestFailure(504, "the image's server takes too long")

    // MARK: Fetching

    private func fetch(_ address: RemoteAddress, _ known: Kept?) async throws(RequestFailure) -> Kept {
        var next = address
        for _ in 0...configuration.maximumRedirectCount {
            switch try await ask(next, for: address, known) {
            case .picture(let picture): return picture
            case .unchanged(let freshness):
                guard let known else { throw Self.unexpected }
                return Kept(file: known.file, freshness: freshness, conditions: known.conditions)
            case .redirection(let address): next = address
            }
        }
        throw RequestFailure(502, "the image's server redirects too often")
    }

    private static let unexpected = RequestFailure(502, "the image's server doesn't answer as it should")

    /// Requests `address`, which is `original` or a redirect from it.
    private func ask(
        _ address: RemoteAddress, for original: RemoteAddress, _ known: Kept?
    ) async throws(RequestFailure) -> Outcome {
        let origins = configuration.origins.filter { $0.allows(address) }
        guard !origins.isEmpty else { throw Self.notAllowed }
        let addresses = await configuration.lookUp(address.host)
        guard !addresses.isEmpty else { throw RequestFailure(502, "the image's server can't be found") }
        guard origins.contains(where: { $0.allows(addresses) }) else { throw Self.notAllowed }
        guard let url = URL(string: address.text) else { throw Self.unexpected }
        var request = DataRequest(url: url, headers: known?.conditions ?? [:])
        request.headers.add("Accept", "image/*")
        var failure = Self.unexpected
        for candidate in addresses.prefix(3) {
            do {
                let download = try await loader(connectingTo: candidate).load(request)
                return try await outcome(of: download, request, original)
            } catch let error as RequestFailure {
                throw error
            } catch {
                failure = Self.failure(for: error)
                // Try the next address only if this one couldn't be reached; otherwise its answer is final.
                guard case DataLoadingError.transport(let transport)? = error as? DataLoadingError,
                    transport.reason == .cannotConnect || transport.reason == .timedOut, !Task.isCancelled
                else { throw failure }
            }
        }
        throw failure
    }

    /// A loader that connects only to `address`.
    private func loader(connectingTo address: NetworkAddress) -> HTTPDataLoader {
        var settings = HTTPDataLoader.Configuration(
            connectTimeout: configuration.silence, idleTimeout: configuration.silence, proxies: .none)
        settings.followsRedirects = false
        settings.address = address.description
        return HTTPDataLoader(configuration: settings)
    }

    private func outcome(
        of download: DataDownload, _ request: DataRequest, _ original: RemoteAddress
    ) async throws -> Outcome {
        let response = download.response
        let freshness = CacheFreshness(response: response, receivedAt: Int64(time(nil)))
        switch response.statusCode {
        case 200: return .picture(try await receive(download, limited(freshness), original))
        case 304: return .unchanged(limited(freshness))
        case 404, 410: throw RequestFailure(404, "there is no such image")
        default:
            let location = response.headers["Location"]
            guard let next = try HTTPRedirect.next(request, status: response.statusCode, location: location) else {
                throw Self.unexpected
            }
            guard let address = try? RemoteAddress(next.url.absoluteString) else { throw Self.notAllowed }
            return .redirection(address)
        }
    }

    private func limited(_ freshness: CacheFreshness) -> CacheFreshness {
        let lifetimes = configuration.lifetimes
        return CacheFreshness(
            validatedAt: freshness.validatedAt,
            lifetime: min(max(freshness.lifetime, lifetimes.lowerBound), lifetimes.upperBound))
    }

    // MARK: Receiving

    private func receive(
        _ download: DataDownload, _ freshness: CacheFreshness, _ address: RemoteAddress
    ) async throws -> Kept {
        let response = download.response
        let type = response.mimeType?.lowercased() ?? "image/*"
        guard type.hasPrefix("image/") || type == "application/octet-stream" || type == "binary/octet-stream" else {
            throw RequestFailure(404, "the address holds no image")
        }
        let tooLarge = RequestFailure(413, "the image has more than \(configuration.maximumByteCount) bytes")
        guard response.expectedByteCount ?? 0 <= configuration.maximumByteCount else { throw tooLarge }
        let name = "the file for an image"
        let number = try UnnamedFile.open(in: configuration.folder ?? UnnamedFile.temporaryFolder, called: name)
        var isOurs = true
        defer { if isOurs { close(number) } }
        var count = 0
        for try await piece in download.body {
            count += piece.count
            guard count <= configuration.maximumByteCount else { throw tooLarge }
            try piece.withUnsafeBytes { try FileDescriptor(number, name: name, isOwned: false).write($0) }
        }
        guard count > 0 else { throw Self.unexpected }
        let changed = response.headers["Last-Modified"].flatMap { HTTPDate.secondsSince1970($0) }
        // The file takes the image's modification time; without one, it keeps the time of the download.
        if let changed { FileTime(seconds: changed).setTimes(of: number) }
        var conditions = HTTPHeaders()
        if let tag = response.headers["ETag"] { conditions.add("If-None-Match", tag) }
        if let date = response.headers["Last-Modified"] { conditions.add("If-Modified-Since", date) }
        isOurs = false
        guard
            let file = OpenedFile(
                number, identifier: PictureIdentifier(address), version: Self.version(response.headers, count, address))
        else { throw Self.unexpected }
        return Kept(file: file, freshness: freshness, conditions: conditions)
    }

    /// A version from the `ETag` or `Last-Modified` header, the same in every run; nil if the response has neither.
    private static func version(_ headers: HTTPHeaders, _ count: Int, _ address: RemoteAddress) -> String? {
        guard let mark = headers["ETag"] ?? headers["Last-Modified"] else { return nil }
        return StableHash("\(address.text)\n\(mark)\n\(count)".utf8).half
    }

    // MARK: Failures

    private static func failure(for error: any Error) -> RequestFailure {
        switch error {
        case DataLoadingError.transport(let failure):
            switch failure.reason {
            case .timedOut: isLate
            case .cannotConnect: RequestFailure(502, "the image's server can't be reached")
            default: unexpected
            }
        case is CancellationError: RequestFailure(503, "the request was cancelled", retryAfter: 1)
        case is ImageError: RequestFailure(503, "there is no room for the image now", retryAfter: 5)
        default: unexpected
        }
    }
}

extension RemotePictures {
    /// The allowed origins, and limits for fetching and caching.
    package struct Configuration: Sendable {
        /// The only origins that images may be fetched from.
        package var origins: [Origin]
        /// The most bytes of an image.
        package var maximumByteCount = 256 << 20
        /// The time limit for fetching an image, redirects included.
        package var timeout = Duration.seconds(30)
        /// The longest that connecting may take, and that a server may send nothing.
        package var silence = Duration.seconds(10)
        /// The most redirects for an image.
        package var maximumRedirectCount = 5
        /// The most concurrent fetches, and the most that may wait.
        package var fetchCount = 8
        package var waitingCount = 64
        /// The most bytes of cached images on disk, and the most images.
        package var keptByteCount = 1 << 30
        package var keptCount = 256
        /// Bounds on how long an image is served without revalidation, in seconds, whatever its server specifies.
        package var lifetimes: ClosedRange<Int64> = 60...86_400
        /// The folder for the cached files; nil for the system's temporary folder.
        package var folder: String?
        /// Resolves a host's addresses.
        package var lookUp: @Sendable (_ host: String) async -> [NetworkAddress] = {
            await HostLookup.addresses(of: $0)
        }

        package init(origins: [Origin]) { self.origins = origins }
    }
}
#endif
