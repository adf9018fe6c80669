internal import Essentials
internal import ImageFormats
internal import Raster

/// Loads `file` and `data` URLs.
///
/// Files are read piece by piece, on threads of their own, so that slow storage holds nothing else up.
public struct LocalDataLoader: DataLoading {
    /// Reading waits rather than computes: more threads than processors don't harm.
    static let executor = ImageExecutor(width: 8)

    /// A loader.
    public init() {}

    /// Loads what is at `request.url`.
    /// - Throws: `DataLoadingError.unreadable` for a folder, or what isn't there or can't be read; `invalidDataURL`;
    ///   `unsupportedURL` for other schemes and for files on other machines.
    public func load(_ request: DataRequest) async throws -> DataDownload {
        let url = request.url
        switch url.scheme?.lowercased() {
        case "data":
            let content = try await withTaskExecutorPreference(Self.executor) { try DataURL(url.absoluteString) }
            return DataDownload(
                response: DataResponse(
                    url: nil, headers: ["Content-Type": content.mediaType], expectedByteCount: content.data.count),
                body: DataChunks(content.data))
        case "file":
            guard url.host() ?? "" == "" || url.host() == "localhost" else { break }
            let file = try await FileChunks(path: url.path(percentEncoded: false))
            return DataDownload(
                response: DataResponse(url: url, expectedByteCount: file.byteCount), body: DataChunks(file))
        default: break
        }
        throw DataLoadingError.unsupportedURL(url.absoluteString)
    }
}

extension URL {
    /// Whether this is a file, or has its bytes in itself.
    var isLocal: Bool { scheme.map { ["file", "data"].contains($0.lowercased()) } ?? false }
}

/// The bytes of a file in pieces, read when they are asked for. To be iterated once.
struct FileChunks: AsyncSequence, Sendable {
    /// How many bytes there are; nil for what has no length, such as a pipe.
    let byteCount: Int?
    private let reader: Reader

    /// Opens the file at `path`.
    /// - Throws: `DataLoadingError.unreadable`.
    init(path: String) async throws {
        let reader = try await Self.onExecutor { try Reader(path) }
        self.reader = reader
        byteCount = reader.byteCount
    }

    /// Reads the pieces one after the other.
    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let reader: Reader

        mutating func next() async throws -> Data? {
            try Task.checkCancellation()
            let reader = reader
            return try await FileChunks.onExecutor { try await reader.next() }
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: reader) }

    private static func onExecutor<Value: Sendable>(
        _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        do {
            return try await withTaskExecutorPreference(LocalDataLoader.executor, operation: work)
        } catch let error as ImageError {
            throw DataLoadingError.unreadable(error.message)
        }
    }

    /// The open file. An actor, since its place in the file moves on with every call; it runs where its callers do.
    fileprivate actor Reader {
        nonisolated let byteCount: Int?
        private let source: FileByteSource

        init(_ path: String) throws {
            source = try FileByteSource(path: path)
            byteCount = source.byteCount
        }

        func next() throws -> Data? {
            var piece: Data?
            _ = try source.nextBytes { bytes in
                // The bytes are lent for this call, and copied in it.
                piece = bytes.withUnsafeBytes { Data($0) }
            }
            return piece
        }
    }
}
