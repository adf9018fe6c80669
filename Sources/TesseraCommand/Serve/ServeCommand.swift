#if Server
internal import ArgumentParser
internal import Essentials
internal import ImageServer
internal import Logging
internal import Platform
internal import ServiceLifecycle
internal import Tessera
internal import UnixSignals

/// `tessera serve`: serves images by URL in any size, format and effect, with a gallery page.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve folders of pictures: IIIF, Deep Zoom, effects by URL, and a gallery.",
        discussion: """
            Pictures of any size can be zoomed without conversion; new and changed files appear without a restart. \
            Without a folder, sample pictures are served. /docs documents the URLs.

            EXAMPLES
              tessera serve
              tessera serve ~/Pictures
              tessera serve /srv/maps /srv/scans --host 0.0.0.0 --port 80 --cache /var/cache/tessera --cache-size 50G
              tessera serve pictures --origin https://example.org/photos/
              tessera serve s3://photos/2024 --results s3://cache/renders
              tessera serve pictures --preset 'small=w=400&format=auto' --only-presets
              tessera serve pictures --base-path /images --socket /run/tessera/serve.sock --trusted-proxy unix
              tessera serve pictures --authorize http://127.0.0.1:9000/may-see
              tessera serve --config server.json
              tessera serve ~/Pictures --print-configuration > server.json

            A file for --config is an object of JSON with the options' names: {"folders": ["pictures"], "port": 8000}. \
            Environment variables override it (TESSERA_SERVE_CACHE_SIZE for --cache-size; commas in lists), and \
            options override both. Sockets of systemd (LISTEN_FDS) are used instead of --host, --port and --socket. Ctrl-C ends the server; pressed again, immediately.
            """)

    @Argument(
        help: ArgumentHelp(
            "Folders of pictures, or prefixes in buckets (s3://bucket/prefix). Default: the sample pictures.",
            valueName: "folder"),
        completion: .directory)
    var folders: [String] = []

    @Option(name: .shortAndLong, help: "The port to listen on; 0 for any free port. Default: 8080.")
    var port: Int?

    @Option(help: ArgumentHelp("The address to listen on; 0.0.0.0 for all. Default: 127.0.0.1.", valueName: "address"))
    var host: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Also serve pictures from URLs with this prefix; repeatable.",
            valueName: "url-prefix"))
    var origin: [String] = []

    @Option(
        help: ArgumentHelp("Cache rendered pictures in this folder.", valueName: "folder"),
        completion: .directory)
    var cache: String?

    @Option(help: ArgumentHelp("Size limit of --cache. Default: 10G.", valueName: "bytes"))
    var cacheSize: String?

    @Option(
        help: ArgumentHelp(
            "Share rendered pictures with other servers in this bucket.", valueName: "s3://bucket/prefix"))
    var results: String?

    @Option(
        help: ArgumentHelp("Size of the memory cache. Default: 512M.", valueName: "bytes"))
    var memory: String?

    @Option(help: ArgumentHelp("Read options from this file.", valueName: "file"), completion: .file())
    var config: String?

    @Option(
        help: ArgumentHelp(
            "This server's public URL, behind a proxy.", valueName: "https://host"))
    var publicAddress: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Require URLs signed with a key in this file (see tessera sign); repeatable.", valueName: "file"),
        completion: .file())
    var keyFile: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A host name to accept; repeatable. Other hosts are refused. Default: localhost, 127.0.0.1 and [::1] on loopback, else any.",
            valueName: "name"))
    var allowHost: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "An origin that may read responses (CORS), or *; repeatable. Default: only this server's on loopback, else *.",
            valueName: "origin"))
    var allowOrigin: [String] = []

    @Option(
        help: ArgumentHelp("Seconds for which browsers may cache pictures. Default: 3600.", valueName: "seconds"))
    var maxAge: Int?

    @Option(help: "The default quality, 0 to 1. Default: 0.8.")
    var quality: Double?

    @Option(
        name: .shortAndLong,
        help: "Number of pictures to render concurrently. Default: one more than there are processors.")
    var jobs: Int?

    @Option(
        help: ArgumentHelp(
            "Number of requests that may wait to be rendered; more are refused. Default: 64.", valueName: "count"))
    var waiting: Int?

    @Option(
        help: ArgumentHelp(
            "Memory limit for rendering, estimated in advance. Default: a quarter of the memory, at most 512M.",
            valueName: "bytes"))
    var renderMemory: String?

    @Option(help: ArgumentHelp("Time limit for a request in seconds. Default: 30.", valueName: "seconds"))
    var timeout: Double?

    @Option(
        help: ArgumentHelp(
            "Seconds to keep serving after SIGTERM while /readyz answers 503, for load balancers. Default: 0.",
            valueName: "seconds"))
    var drain: Double?

    @Option(help: ArgumentHelp("Pixel limit of a response. Default: 64M.", valueName: "count"))
    var maxPixels: String?

    @Option(help: ArgumentHelp("Limit for enlarging a picture. Default: 4.", valueName: "factor"))
    var maxUpscaling: Double?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A named query for /image/ID?preset=NAME, as in thumbnail=w=200&h=200; repeatable.",
            valueName: "name=query"))
    var preset: [String] = []

    @Flag(
        inversion: .prefixedNo,
        help: "Serve images only by presets or signed URLs. Default: no.")
    var onlyPresets: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Decode pictures in sandboxed processes. Default: JPEG 2000 only.",
            discussion: """
                For untrusted files: such a process has no network, no files except its input, and fixed limits. If a \
                file crashes its decoder, only that request fails. Tiles of large JPEG and TIFF files are then encoded \
                from decoded pixels, not copied from the file. JPEG 2000 is decoded in such processes anyway, because its \
                library has had many vulnerabilities; --no-isolate turns that off.
                """))
    var isolate: Bool?

    @Option(
        help: ArgumentHelp(
            "Log each request: text (on standard error), combined or json (on standard output), or off. "
                + "Default: text.", valueName: "form"))
    var accessLog: AccessLogSetting?

    @Flag(help: "The same as --access-log off.")
    var noAccessLog = false

    @Option(
        help: ArgumentHelp(
            "Limit of requests per second and client address, with bursts of ten seconds' worth; more are refused (429).",
            valueName: "count"))
    var rateLimit: Double?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A proxy whose X-Forwarded-For, -Proto, -Host and -Prefix are trusted: an address, a network, or unix; repeatable.",
            valueName: "address"))
    var trustedProxy: [String] = []

    @Option(
        help: ArgumentHelp(
            "The path below which a proxy publishes this server, as in /images. It begins all links.",
            valueName: "path"))
    var basePath: String?

    @Option(
        help: ArgumentHelp("Listen on a Unix socket instead of --host and --port.", valueName: "path"),
        completion: .file())
    var socket: String?

    @Option(help: ArgumentHelp("Permissions of --socket. Default: 660.", valueName: "octal"))
    var socketMode: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Let requests with the token in this file purge what is cached (POST /api/purge); repeatable.",
            valueName: "file"),
        completion: .file())
    var purgeTokenFile: [String] = []

    @Option(
        help: ArgumentHelp(
            "Ask this service who may see a picture: GET URL?image=ID, answered by 2xx, 401, 403 or 404.",
            valueName: "url"))
    var authorize: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A header field that --authorize decides by; repeatable. Default: Authorization and Cookie.",
            valueName: "name"))
    var authorizeField: [String] = []

    @Option(help: ArgumentHelp("Time limit of --authorize. Default: 5.", valueName: "seconds"))
    var authorizeTimeout: Double?

    @Option(
        help: ArgumentHelp("The IIIF access token service, which info.json names.", valueName: "url"))
    var tokenService: String?

    @Option(
        help: ArgumentHelp("The IIIF access service: the page where people log in.", valueName: "url"))
    var loginPage: String?

    @Flag(help: "Check all settings, print them as a file for --config, and exit.")
    var printConfiguration = false

    func validate() throws {
        guard !noAccessLog || accessLog == nil else {
            throw ValidationError("--access-log and --no-access-log exclude each other")
        }
    }

    func run() async throws {
        do {
            try await serve()
        } catch let error as ImageError where error.code == .invalidParameter {
            throw ValidationError(error.message)
        }
    }

    private func serve() async throws {
        let settings = try self.settings()
        if printConfiguration {
            _ = try settings.configuration()
            return print(try settings.over(.standard).json)
        }
        RenderMemory.keepLittle()
        var configuration = try settings.configuration()
        configuration.listeningDescriptors = try ListeningSocket.inherited(ProcessInfo.processInfo.environment)
        if configuration.folders.isEmpty { configuration.folders = [try await SampleGallery.make()] }
        let folders = configuration.folders
        var logger = Logger(label: "tessera", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = .info
        let (address, publicAddress) = (configuration.host, configuration.publicAddress)
        let (socket, basePath) = (configuration.socketPath, settings.basePath ?? "")
        let isActivated = !configuration.listeningDescriptors.isEmpty
        let server = try ImageServer(configuration, logger: logger) { port in
            let host = address == "0.0.0.0" || address == "::" ? "localhost" : address
            print("Serving \(folders.joined(separator: ", "))")
            var link = "http://\(host.contains(":") ? "[\(host)]" : host):\(port)\(basePath)/"
            if let socket, !isActivated { link = socket }
            if isActivated { link = "the sockets of LISTEN_FDS" }
            print(link)
            if let file = settings.keyFiles?.first {
                let known = publicAddress.map { "\($0)\(basePath)/" } ?? (socket == nil && !isActivated ? link : "URL")
                let base = basePath.isEmpty ? "" : " --base-path \(basePath)"
                print(
                    "Only signed addresses are answered. For a link: "
                        + "tessera sign --prefix \(known) --key-file \(file)\(base)")
            }
            // A program that reads the output from a pipe waits for this line.
            fflush(nil)
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [server, SecondSignal()], gracefulShutdownSignals: [.sigterm, .sigint],
                logger: Logger(label: "lifecycle") { _ in
                    SwiftLogNoOpLogHandler()
                }))
        try await group.run()
    }

    /// The options, over the environment, over the file.
    private func settings() throws -> ServeSettings {
        let file = try config.map { try ServeSettings.read($0) } ?? ServeSettings()
        return try options.over(ServeSettings.read(environment: ProcessInfo.processInfo.environment).over(file))
    }

    private var options: ServeSettings {
        ServeSettings(
            folders: folders.nonempty, host: host, port: port, origins: origin.nonempty, cache: cache,
            cacheSize: cacheSize, results: results, memory: memory, publicAddress: publicAddress, maxAge: maxAge,
            quality: quality,
            jobs: jobs, waiting: waiting, renderMemory: renderMemory, timeout: timeout, drain: drain,
            maxPixels: maxPixels, maxUpscaling: maxUpscaling, keyFiles: keyFile.nonempty,
            allowedHosts: allowHost.nonempty, allowedOrigins: allowOrigin.nonempty, presets: preset.nonempty,
            onlyPresets: onlyPresets, isolate: isolate,
            accessLog: noAccessLog ? .off : accessLog, rateLimit: rateLimit,
            trustedProxies: trustedProxy.nonempty, basePath: basePath, socket: socket, socketMode: socketMode,
            purgeTokenFiles: purgeTokenFile.nonempty, authorize: authorize, authorizeFields: authorizeField.nonempty,
            authorizeTimeout: authorizeTimeout, tokenService: tokenService, loginPage: loginPage)
    }
}

extension Array {
    /// Nil instead of an empty array: a repeatable option that isn't given.
    fileprivate var nonempty: Self? { isEmpty ? nil : self }
}

/// Has a second Ctrl-C end the process at once.
private struct SecondSignal: Service {
    func run() async throws {
        try await gracefulShutdown()
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    }
}
#endif
