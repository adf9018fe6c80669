internal import ArgumentParser
internal import ImageLoading
internal import Tessera

/// The options for loading images.
struct FetchArguments: ParsableArguments {
    @Option(name: .shortAndLong, help: "Number of pictures to load concurrently.")
    var jobs = 6

    @Option(
        help: ArgumentHelp(
            "Cache downloads in this folder.", valueName: "folder"),
        completion: .directory)
    var cache: String?

    @Option(
        help: ArgumentHelp(
            "Cache policy: use, revalidate, stale or reload.",
            discussion: """
                use: use cached pictures of any age. revalidate: ask the server about stale ones. stale: use them, \
                then ask the server. reload: download everything again.
                """,
            valueName: "policy"))
    var cachePolicy: CachePolicy?

    @Option(
        name: .customLong("header"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Send this header to servers; repeatable.", valueName: "name: value"),
        transform: Self.parseField)
    var fields: [(name: String, value: String)] = []

    @Option(help: ArgumentHelp("Number of retries when a server fails or is busy.", valueName: "count"))
    var retries = 2

    @Option(help: ArgumentHelp("Time out after this many seconds without data. Default: 60.", valueName: "seconds"))
    var timeout: Double?

    /// The ways of using cached data.
    enum CachePolicy: String, ExpressibleByArgument, CaseIterable {
        case use, revalidate, stale, reload
    }

    private static func parseField(_ argument: String) throws -> (name: String, value: String) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        // The characters allowed in names and values: RFC 9110, sections 5.1 and 5.5.
        let isName = parts[0].utf8.allSatisfy { byte in
            (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
        guard parts.count == 2, !parts[0].isEmpty, isName,
            !parts[1].unicodeScalars.contains(where: { $0.properties.generalCategory == .control && $0 != "\t" })
        else { throw ValidationError("write a name, a colon and a value, as in 'Accept: image/webp'") }
        return (String(parts[0]), parts[1].trimmedHTTPWhitespace)
    }

    func validate() throws {
        guard jobs > 0, jobs <= 1000 else { throw ValidationError("--jobs is 1 to 1000, not \(jobs)") }
        guard retries >= 0, retries <= 1000 else { throw ValidationError("--retries is 0 to 1000, not \(retries)") }
        guard timeout.map({ $0 > 0 && $0 <= 86400 }) ?? true else {
            throw ValidationError("--timeout is a number of seconds above 0 and at most 86400, not \(timeout ?? 0)")
        }
        guard cachePolicy == nil || cache != nil else {
            throw ValidationError("--cache-policy needs --cache FOLDER")
        }
        guard cache != "" else { throw ValidationError("--cache needs the name of a folder") }
    }

    /// The policy as the library's type.
    var policy: ImageRequest.CachePolicy {
        switch cachePolicy {
        case nil, .use: .useCache
        case .revalidate: .revalidate
        case .stale: .staleWhileRevalidate
        case .reload: .reload
        }
    }

    /// The fields as the library's type.
    var headers: HTTPHeaders {
        var headers = HTTPHeaders()
        for field in fields { headers.add(field.name, field.value) }
        return headers
    }

    /// Applies the options to `configuration`.
    func configure(_ configuration: inout ImagePipeline.Configuration) {
        configuration.dataLoadingQueue.width = jobs
        configuration.dataFetching.retry.maximumAttempts = retries + 1
        configuration.dataCache = cache.map { DataCache(directory: $0) }
        #if HTTP
        if let timeout {
            let silence = Duration.seconds(timeout)
            configuration.dataLoader = DataLoader(
                http: HTTPDataLoader(
                    configuration: HTTPDataLoader.Configuration(
                        connectTimeout: min(.seconds(15), silence), idleTimeout: silence)))
        }
        #endif
    }
}
