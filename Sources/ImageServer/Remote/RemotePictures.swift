#if HTTP
internal import Essentials
internal import ImageFormats
internal import ImageLoading
internal import ImagePyramid
internal import Platform
internal import Raster

/// Pictures of other servers, from the origins on a list and from nowhere else.
///
/// A host's addresses are looked up and judged first, and then one of those that were judged is connected to, whatever a second
/// look would find. Every redirection is judged like the first address. Proxies aren't used, since they would look up hosts
/// themselves. Pictures are kept in files without names, of which nothing outlives the process, and are asked for again when
/// their time is over; where their server doesn't answer then, they stay.
package final class RemotePictures: Sendable {
    /// A picture as it was got.
    private struct Kept: Sendable {
        let file: OpenedFile
        var freshness: CacheFreshness
        /// What to ask the server by whether it's still the same.
        let conditions: HTTPHeaders
    }

    /// What has come of a request.
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

    /// Whether an identifier is the address of something on another server.
    package static func isAddress(_ identifier: String) -> Bool {
        let start = identifier.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://")
    }

    /// The file of the picture at `address`.
    /// - Throws: 403 for an address that isn't of an origin on the list, or is redirected to one, or whose host is reached by
    ///   addresses that aren't public; 404 where its server has nothing; 413 for more bytes than allowed; 502 where the server
    ///   doesn't answer as it should, 504 where it takes too long, 503 where too many pictures are being fetched.
    package func open(_ address: RemoteAddress) async throws(RequestFailure) -> OpenedFile {
        guard configuration.origins.contains(where: { $0.allows(address) }) else { throw Self.notAllowed }
        let key = address.text
        if let known = kept.value(for: key), known.freshness.isFresh(at: Int64(time(nil))) { return known.file }
        return try await fetches.value(for: key) { [self] () throws(RequestFailure) in
            let known = kept.value(for: key)
            do throws(RequestFailure) {
                let new = try await queue.perform { () throws(RequestFailure) in
                    try await withTimeLimit(configuration.timeout, orThrow: Self.isLate) { () throws(RequestFailure) in
                        try await self.fetch(address, known)
                    }
                }
                kept.insert(new, for: key, cost: new.file.byteCount)
                return new.file
            } catch {
                if error.status == 404 { kept.remove(key) }
                // Better an older version than none, and for a while nobody need wait for a server that doesn't answer.
                guard var known, error.status >= 500 else { throw error }
                known.freshness = limited(CacheFreshness(validatedAt: Int64(time(nil)), lifetime: 0))
                kept.insert(known, for: key, cost: known.file.byteCount)
                return known.file
            }
        }
    }

    private static let notAllowed = RequestFailure(403, "nothing is fetched from there")
    private static let isLate = RequestFailure(504, "the picture's server takes too long")

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
        throw RequestFailure(502, "the picture's server redirects too often")
    }

    private static let unexpected = RequestFailure(502, "the picture's server doesn't answer as it should")

    /// Asks the server at `address` for the picture that was asked for as `original`.
    private func ask(
        _ address: RemoteAddress, for original: RemoteAddress, _ known: Kept?
    ) async throws(RequestFailure) -> Outcome {
        let origins = configuration.origins.filter { $0.allows(address) }
        guard !origins.isEmpty else { throw Self.notAllowed }
        let addresses = await configuration.lookUp(address.host)
        guard !addresses.isEmpty else { throw RequestFailure(502, "the picture's server can't be found") }
        guard origins.contains(where: { $0.allows(addresses) }) else { throw Self.notAllowed }
        guard let url = URL(string: address.text) else { throw Self.unexpected }
        var request = DataRequest(url: url, headers: known?.conditions ?? [:])
        request.headers.add("Accept", "image/*")
        var failure = Self.unexpected
        for candidate in addresses.prefix(3) {
            do {
                let download = try await loader(address.host, candidate).load(request)
                return try await outcome(of: download, request, original)
            } catch let error as RequestFailure {
                throw error
            } catch {
                failure = Self.failure(for: error)
                // Another address may be reached; of one that was, there is nothing else to be had.
                guard case DataLoadingError.transport(let transport)? = error as? DataLoadingError,
                    transport.reason == .cannotConnect || transport.reason == .timedOut, !Task.isCancelled
                else { throw failure }
            }
        }
        throw failure
    }

    /// What loads from `host` at `address` and from nowhere else.
    private func loader(_ host: String, _ address: NetworkAddress) -> HTTPDataLoader {
        var settings = HTTPDataLoader.Configuration(
            connectTimeout: configuration.silence, idleTimeout: configuration.silence, proxies: .none)
        settings.followsRedirects = false
        settings.hostAddresses = [host: address.description]
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
        case 404, 410: throw RequestFailure(404, "there is no such picture")
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
            throw RequestFailure(404, "what is there is no picture")
        }
        let tooLarge = RequestFailure(413, "the picture has more than \(configuration.maximumByteCount) bytes")
        guard response.expectedByteCount ?? 0 <= configuration.maximumByteCount else { throw tooLarge }
        let name = "the file for a picture"
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
        // It says when the picture was changed; where it can't, the picture is as new as its file.
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

    /// What tells one version from another: what the server says of it, the same in every run; nil where it says nothing.
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
            case .cannotConnect: RequestFailure(502, "the picture's server can't be reached")
            default: unexpected
            }
        case is CancellationError: RequestFailure(503, "the request was given up", retryAfter: 1)
        case is ImageError: RequestFailure(503, "there is no room for the picture now", retryAfter: 5)
        default: unexpected
        }
    }
}

extension RemotePictures {
    /// What is fetched, how, and how much of it is kept.
    package struct Configuration: Sendable {
        /// Where pictures may be fetched from, and from nowhere else.
        package var origins: [Origin]
        /// Bytes of a picture, at most.
        package var maximumByteCount = 256 << 20
        /// How long it may take to get a picture, redirections included.
        package var timeout = Duration.seconds(30)
        /// How long it may take to reach a server, and for how long that may send nothing.
        package var silence = Duration.seconds(10)
        /// Redirections on the way to a picture, at most.
        package var maximumRedirectCount = 5
        /// Pictures fetched at a time, and how many may wait for that.
        package var fetchCount = 8
        package var waitingCount = 64
        /// What pictures may take together on the disk, and how many there may be.
        package var keptByteCount = 1 << 30
        package var keptCount = 256
        /// For how many seconds a picture is good without asking its server, whatever that says.
        package var lifetimes: ClosedRange<Int64> = 60...86_400
        /// The folder for them; nil: the system's for temporary files.
        package var folder: String?
        /// How the addresses of a host are found.
        package var lookUp: @Sendable (_ host: String) async -> [NetworkAddress] = {
            await HostLookup.addresses(of: $0)
        }

        package init(origins: [Origin]) { self.origins = origins }
    }
}
#endif
