public import ImageFormats
public import Raster

/// What a server serves, and how much it lets itself be asked for.
public struct ImageServerConfiguration: Sendable {
    /// The folders whose pictures are served. With more than one, each is a folder of its own name at the top.
    public var folders: [String]
    /// The beginnings of addresses from which pictures may be fetched: `https://example.com/pictures/`. Nothing else is.
    public var origins: [String] = []
    /// The codecs by which pictures are decoded, such as isolated ones, and encoded.
    public var codecs = CodecRegistry.default
    /// The address to listen at.
    public var host = "127.0.0.1"
    /// The port to listen at; 0 for any that is free.
    public var port = 8080
    /// Scheme and authority by which clients know the server, where that isn't what their `Host` says.
    public var publicAddress: String?
    /// Bytes that are kept in memory, at most: half of them finished responses, half pixels of large pictures.
    public var memoryCacheByteLimit = 512 << 20
    /// Where finished responses are kept on the disk; nil: nowhere.
    public var cacheDirectory: String?
    /// Bytes that they may take there.
    public var cacheByteLimit = 10 << 30
    /// How long clients may keep a response without asking, in seconds.
    public var maximumAge = 3600
    /// Pictures made at a time; nil: as many as there are processors.
    public var renderCount: Int?
    /// Requests that may wait to be made; what goes beyond is refused (503).
    public var waitingRequestCount = 64
    /// How long a response may take to be made, waiting included.
    public var renderTimeout = Duration.seconds(30)
    /// Bytes of memory that renders may take together, as estimated before they start; nil: a quarter of the memory that the
    /// process may use, at most 512 MiB. A request that takes more by itself is refused.
    public var renderMemoryByteLimit: Int?
    /// Pixels of a response, at most.
    public var maximumOutputPixelCount = 64 << 20
    /// Pixels on one side of a response, at most.
    public var maximumOutputSide = 16_384
    /// How much larger than it is a picture may be made, each way.
    public var maximumUpscaling = 4.0
    /// The quality of files whose request names none, 0...1.
    public var quality = 0.8
    /// What shows through where a format has no transparency.
    public var background = RGBA8(255, 255, 255)
    /// Keys of signed addresses, the newest last. With any, only signed requests are answered, but for scripts and stylesheets
    /// and whether the server lives.
    public var signingKeys: [SigningKey] = []
    /// Names by which clients may call the server, beside its own. With any, and on loopback always, others are refused (421);
    /// `*` allows all.
    public var allowedHosts: [String] = []
    /// The sites whose pages may read responses: `https://example.org`, or `*`. Without any: every site's, but on loopback
    /// without a public address only the server's own.
    public var allowedOrigins: [String] = []
    /// Connections at a time, at most.
    public var maximumConnectionCount = 4096
    /// How long a connection may be idle, a request take to arrive, and a client not read.
    public var idleTimeout = Duration.seconds(60)
    /// How long a client may leave a response unread when others need its place.
    package var unreadPatience = Duration.seconds(5)
    /// Whether each request is logged.
    public var logsAccess = true

    /// The pictures in `folders`, with limits that suit a public server.
    public init(folders: [String]) { self.folders = folders }
}
