public import ImageFormats
package import ImageLoading
public import Raster

/// The folders that a server serves, its limits and its access rules.
public struct ImageServerConfiguration: Sendable {
    /// The folders, or addresses in buckets (`s3://bucket/prefix`), whose images are served. With more than one, each appears
    /// as a folder at the top.
    public var folders: [String]
    /// Address prefixes below which remote images may be fetched: `https://example.com/pictures/`.
    public var origins: [String] = []
    /// The codecs that decode and encode images, such as isolated ones.
    public var codecs = CodecRegistry.default
    /// The address to listen at.
    public var host = "127.0.0.1"
    /// The port to listen at; 0 for any free port.
    public var port = 8080
    /// The path of a Unix socket to listen at instead of `host` and `port`. A dead socket there is replaced; the socket is
    /// removed when the server ends.
    public var socketPath: String?
    /// The permissions of the socket at `socketPath`, which decide who may connect.
    public var socketPermissions: UInt32 = 0o660
    /// Descriptors of sockets that listen already, such as systemd's, to use instead of all other places. The server closes
    /// them.
    public var listeningDescriptors: [Int32] = []
    /// The path below which a proxy publishes this server, `/images`: generated addresses begin with it, and requests
    /// are answered with and without it.
    public var basePath = ""
    /// The scheme and authority in generated addresses: `https://images.example.org`; nil to use the request's `Host`.
    public var publicAddress: String?
    /// Bytes of the memory caches: half for finished responses, half for pixels of large images.
    public var memoryCacheByteLimit = 512 << 20
    /// Bytes of responses that clients haven't read: without memory caches too, some must wait.
    var unreadByteLimit: Int { max(1 << 20, memoryCacheByteLimit / 2) }
    /// The folder for finished responses; nil for no disk cache.
    public var cacheDirectory: String?
    /// An address in a bucket, `s3://bucket/prefix`, where finished responses are shared with other servers; nil for none.
    public var results: String?
    /// The store of the buckets; nil for the one that the environment names.
    package var objectStore: S3Configuration?
    /// The most bytes in `cacheDirectory`.
    public var cacheByteLimit = 10 << 30
    /// How long clients may reuse a response without revalidation, in seconds.
    public var maximumAge = 3600
    /// The most concurrent renders; nil for one more than there are processors, so that none waits for the next one to begin.
    public var renderCount: Int?
    /// The most renders that may wait; further requests are refused (503).
    public var waitingRequestCount = 64
    /// The time limit for rendering a response, including its wait.
    public var renderTimeout = Duration.seconds(30)
    /// How long a server that is asked to shut down goes on answering, not ready, so that balancers turn away first.
    public var drainTime = Duration.zero
    /// Bytes of memory for all concurrent renders, as estimated before they start; nil for a quarter of the memory
    /// available to the process, 64 to 512 MiB. A request that needs more alone is refused.
    public var renderMemoryByteLimit: Int?
    /// The most pixels of a response.
    public var maximumOutputPixelCount = 64 << 20
    /// The most pixels along one side of a response.
    public var maximumOutputSide = 16_384
    /// The most that width and height may be enlarged, relative to the original; 1 or less for no enlargement.
    public var maximumUpscaling = 4.0
    /// Encoder quality for requests that don't specify one, 0...1.
    public var quality = 0.8
    /// Queries of `/image/ID` by name: with `["thumbnail": "w=200&h=200"]`, `?preset=thumbnail` is short for that query.
    public var presets: [String: String] = [:]
    /// Whether unsigned requests for images are answered only if they ask for a preset, and nothing else. With signing
    /// keys, such requests need no signature.
    public var requiresPresets = false
    /// The colour behind transparent pixels in formats without transparency.
    public var background = RGBA8(255, 255, 255)
    /// Keys for signed addresses, the newest last. With any, only signed requests are answered, except for health
    /// checks, scripts and stylesheets.
    public var signingKeys: [SigningKey] = []
    /// Tokens of operators, any of which allows a request to purge cached responses (`POST /api/purge`).
    public var purgeTokens: [SigningKey] = []
    /// The operator's service that decides who may see which image; nil for none.
    public var authorization: AuthorizationService?
    /// Host names accepted besides the server's own. With any, and always on loopback, other names are refused (421);
    /// `*` accepts all.
    public var allowedHosts: [String] = []
    /// The sites whose pages may read responses: `https://example.org`, or `*`. If empty, every site may, except on
    /// loopback without a public address, where only the server's own pages may.
    public var allowedOrigins: [String] = []
    /// The most concurrent connections.
    public var maximumConnectionCount = 4096
    /// The longest that a connection may be idle, a request may take to arrive, and a client may pause while reading.
    public var idleTimeout = Duration.seconds(60)
    /// How long a client may leave a response unread while other connections need its place.
    package var unreadPatience = Duration.seconds(5)
    /// Whether to log each request.
    public var logsAccess = true
    /// The form in which each request is written to standard output instead; nil for the log.
    public var accessLogFormat: AccessLogFormat?
    /// The requests per second that are answered to one client on average, with bursts of ten seconds' worth; nil for any
    /// number. Not counted: health checks, metrics, and responses repeated from memory within a second.
    public var requestRate: Double?
    /// Addresses and networks (`10.0.0.0/8`) of proxies, or `unix` for those at `socketPath`. Their `X-Forwarded-For` has
    /// the client's address; their `X-Forwarded-Proto`, `-Host` and `-Prefix` the address that the client sees.
    public var trustedProxies: [String] = []

    /// Serves the images in `folders`, with limits that suit a public server.
    public init(folders: [String]) { self.folders = folders }
}

/// The forms of an access log.
public enum AccessLogFormat: String, Hashable, Sendable, CaseIterable {
    /// The Combined Log Format of Apache and nginx.
    case combined
    /// An object of JSON on each line.
    case json
}
