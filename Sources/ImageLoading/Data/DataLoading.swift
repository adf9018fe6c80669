public import Essentials

/// A loader of bytes: over HTTP by default, or a custom one.
public protocol DataLoading: Sendable {
    /// Performs one exchange for `request`, without retrying.
    ///
    /// Returns when the response's header is known. Cancelling the calling task, or the one that iterates the body,
    /// ends the transfer.
    func load(_ request: DataRequest) async throws -> DataDownload
}

/// A request for bytes.
public struct DataRequest: Sendable {
    /// The URL to load.
    public var url: URL
    /// The header fields to send.
    public var headers: HTTPHeaders
    /// The HTTP method.
    package var method = "GET"
    /// The bytes to send; nil for none.
    package var body: [UInt8]?

    /// A request for the bytes at `url`.
    public init(url: URL, headers: HTTPHeaders = HTTPHeaders()) {
        self.url = url
        self.headers = headers
    }
}

/// The properties of a response that are known before its bytes arrive.
public struct DataResponse: Hashable, Sendable {
    /// The URL that the bytes come from, after redirections.
    public var url: URL?
    /// The HTTP status; 200 for other schemes.
    public var statusCode: Int
    /// The response's header fields.
    public var headers: HTTPHeaders
    /// The number of bytes to expect, if known.
    public var expectedByteCount: Int?

    /// A response; everything but the URL can be left out for other schemes than HTTP.
    public init(
        url: URL?, statusCode: Int = 200, headers: HTTPHeaders = HTTPHeaders(), expectedByteCount: Int? = nil
    ) {
        self.url = url
        self.statusCode = statusCode
        self.headers = headers
        self.expectedByteCount = expectedByteCount
    }

    /// The media type, without parameters; nil if the response has none.
    public var mimeType: String? {
        headers["Content-Type"].map { String($0.prefix { $0 != ";" && $0 != " " }) }
    }
}

/// A response and its arriving bytes.
public struct DataDownload: Sendable {
    /// The response's status, header and length.
    public var response: DataResponse
    /// The bytes in order of arrival. Can be iterated once.
    public var body: DataChunks

    /// A download with a response and its body.
    public init(response: DataResponse, body: DataChunks) {
        self.response = response
        self.body = body
    }
}

/// A sequence of bytes, in the pieces in which they arrive.
public struct DataChunks: AsyncSequence, Sendable {
    private let start: @Sendable () -> Iterator

    /// The pieces that `base` delivers: `Data`, `[UInt8]`, or any other sequence of bytes.
    public init<Base: AsyncSequence & Sendable>(_ base: Base) where Base.Element: Sequence<UInt8> {
        start = {
            // Each iteration makes its own iterator, which only one task uses at a time.
            nonisolated(unsafe) var iterator = base.makeAsyncIterator()
            return Iterator(advance: { try await iterator.next().map { Data($0) } })
        }
    }

    /// A sequence of one piece, or of none if `data` is empty.
    public init(_ data: some Sequence<UInt8>) {
        let data = data as? Data ?? Data(data)
        start = {
            var rest = data.isEmpty ? nil : data
            return Iterator(advance: {
                defer { rest = nil }
                return rest
            })
        }
    }

    /// A sequence of the pieces returned by a function, which is made for each iteration and called by one task at a
    /// time.
    init(makeNext: @escaping @Sendable () -> () async throws -> Data?) { start = { Iterator(advance: makeNext()) } }

    /// Iterates over the pieces.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let advance: () async throws -> Data?

        /// The next piece; nil at the end.
        public mutating func next() async throws -> Data? { try await advance() }
    }

    /// Starts an iteration.
    public func makeAsyncIterator() -> Iterator { start() }
}

/// The default loader of pipelines: for files, data URLs and, if the package is built with the trait `HTTP`, servers and
/// objects in buckets.
public struct DataLoader: DataLoading {
    private let local: any DataLoading
    private let http: (any DataLoading)?

    /// Creates a loader that uses `http` for `http` and `https` URLs, unless it is nil, and `local` for `file` and
    /// `data` URLs. With `http`, `s3` URLs are loaded by `S3Store.shared`.
    public init(http: (any DataLoading)? = DataLoader.defaultHTTP, local: any DataLoading = LocalDataLoader()) {
        self.http = http
        self.local = local
    }

    /// Whether files are loaded by an unmodified `LocalDataLoader`.
    var readsFiles: Bool { local is LocalDataLoader }

    /// The default HTTP loader; nil in a package built without the trait `HTTP`.
    public static var defaultHTTP: (any DataLoading)? {
        #if HTTP
        HTTPDataLoader.shared
        #else
        nil
        #endif
    }

    /// Loads with the loader for the URL's scheme.
    /// - Throws: `DataLoadingError.unsupportedURL` if there is none, or the loader's error.
    public func load(_ request: DataRequest) async throws -> DataDownload {
        switch request.url.scheme?.lowercased() {
        case "file", "data": return try await local.load(request)
        case "http", "https":
            if let http { return try await http.load(request) }
        #if HTTP
        case "s3":
            if http != nil { return try await S3Store.shared.load(request) }
        #endif
        default: break
        }
        throw DataLoadingError.unsupportedURL(request.url.absoluteString)
    }
}
