public import Essentials

/// Something that loads bytes: over HTTP unless it is one of your own.
public protocol DataLoading: Sendable {
    /// Loads what `request` asks for: one exchange, without retrying.
    ///
    /// Returns when the response is known. Cancelling the task that called, or that iterates the body, ends the transfer.
    func load(_ request: DataRequest) async throws -> DataDownload
}

/// Bytes that are wanted.
public struct DataRequest: Sendable {
    /// Where they are.
    public var url: URL
    /// Header fields to send.
    public var headers: HTTPHeaders

    /// The bytes at `url`.
    public init(url: URL, headers: HTTPHeaders = HTTPHeaders()) {
        self.url = url
        self.headers = headers
    }
}

/// What is known of bytes before they arrive: what a server says of them.
public struct DataResponse: Hashable, Sendable {
    /// Where the bytes come from, redirections followed.
    public var url: URL?
    /// HTTP's status; 200 for what doesn't come over HTTP.
    public var statusCode: Int
    /// The header fields.
    public var headers: HTTPHeaders
    /// How many bytes will come, where that is known.
    public var expectedByteCount: Int?

    /// A response of these facts.
    public init(
        url: URL?, statusCode: Int = 200, headers: HTTPHeaders = HTTPHeaders(), expectedByteCount: Int? = nil
    ) {
        self.url = url
        self.statusCode = statusCode
        self.headers = headers
        self.expectedByteCount = expectedByteCount
    }

    /// The media type, without parameters; nil where none is said.
    public var mimeType: String? {
        headers["Content-Type"].map { String($0.prefix { $0 != ";" && $0 != " " }) }
    }
}

/// Bytes on their way.
public struct DataDownload: Sendable {
    /// What is known of them.
    public var response: DataResponse
    /// The bytes in the order in which they arrive, to be iterated once.
    public var body: DataChunks

    /// A download of these.
    public init(response: DataResponse, body: DataChunks) {
        self.response = response
        self.body = body
    }
}

/// Bytes in the pieces in which they arrive.
public struct DataChunks: AsyncSequence, Sendable {
    private let start: @Sendable () -> Iterator

    /// The pieces that `base` delivers: `Data`, arrays of bytes, or anything else of bytes.
    public init<Base: AsyncSequence & Sendable>(_ base: Base) where Base.Element: Sequence<UInt8> {
        start = {
            // The iterator is used by one task at a time, whoever iterates; it is made anew for each iteration.
            nonisolated(unsafe) var iterator = base.makeAsyncIterator()
            return Iterator(advance: { try await iterator.next().map { Data($0) } })
        }
    }

    /// One piece.
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

    /// The pieces that a function delivers: another one for each iteration, called by one task at a time.
    init(makeNext: @escaping @Sendable () -> () async throws -> Data?) { start = { Iterator(advance: makeNext()) } }

    /// Iterates the pieces.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let advance: () async throws -> Data?

        /// The piece that comes next; nil at the end.
        public mutating func next() async throws -> Data? { try await advance() }
    }

    /// Begins to iterate.
    public func makeAsyncIterator() -> Iterator { start() }
}

/// The loader that pipelines have unless they are given another: files, data URLs and, where the package is built with
/// the trait `HTTP`, what servers have.
public struct DataLoader: DataLoading {
    private let local: any DataLoading
    private let http: (any DataLoading)?

    /// A loader that has `http` and `https` URLs loaded by `http`, unless that is nil, and `file` and `data` URLs by
    /// `local`.
    public init(http: (any DataLoading)? = DataLoader.defaultHTTP, local: any DataLoading = LocalDataLoader()) {
        self.http = http
        self.local = local
    }

    /// Whether files are loaded by a `LocalDataLoader`, as they are.
    var readsFiles: Bool { local is LocalDataLoader }

    /// What loads over HTTP unless said otherwise; nil in a package that is built without the trait.
    public static var defaultHTTP: (any DataLoading)? {
        #if HTTP
        HTTPDataLoader.shared
        #else
        nil
        #endif
    }

    /// Loads by the loader for the URL's scheme.
    /// - Throws: `DataLoadingError.unsupportedURL` where there is none, or what that loader throws.
    public func load(_ request: DataRequest) async throws -> DataDownload {
        switch request.url.scheme?.lowercased() {
        case "file", "data": return try await local.load(request)
        case "http", "https":
            if let http { return try await http.load(request) }
        default: break
        }
        throw DataLoadingError.unsupportedURL(request.url.absoluteString)
    }
}
