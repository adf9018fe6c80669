internal import Essentials
internal import ImageFormats
internal import Raster

/// Loads `file` and `data` URLs.
///
/// Files are read in pieces of 256 KiB on separate threads, so that slow storage blocks nothing else.
public struct LocalDataLoader: DataLoading {
    /// Opening waits more than it computes, so more threads than processors do no harm.
    private static let executor = ImageExecutor(width: 8)

    private static let pieceByteCount = 1 << 18

    /// Creates a loader.
    public init() {}

    /// Loads the bytes at `request.url`.
    /// - Throws: `DataLoadingError.unreadable` for folders and for missing or unreadable files; `invalidDataURL`;
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
            guard let source = try await Self.open(url) else { break }
            return DataDownload(
                response: DataResponse(url: url, expectedByteCount: source.byteCount),
                body: Self.chunks(of: source))
        default: break
        }
        throw DataLoadingError.unsupportedURL(url.absoluteString)
    }

    private static func chunks(of source: Source) -> DataChunks {
        DataChunks {
            // One task at a time uses the iterator.
            nonisolated(unsafe) var chunks = source.chunks(ofAtMost: pieceByteCount).makeAsyncIterator()
            return {
                try Task.checkCancellation()
                do throws(ImageError) {
                    return try await chunks.next().map { Data($0) }
                } catch {
                    throw error.code == .cancelled ? CancellationError() : DataLoadingError.unreadable(error.message)
                }
            }
        }
    }

    /// Opens the file at `url`; nil if it is on another machine.
    static func open(_ url: URL) async throws -> Source? {
        guard url.host() ?? "" == "" || url.host() == "localhost" else { return nil }
        let path = url.path(percentEncoded: false)
        do {
            return try await withTaskExecutorPreference(executor) { try Source(path: path) }
        } catch let error as ImageError {
            throw DataLoadingError.unreadable(error.message)
        }
    }
}

extension URL {
    /// Whether this is a `file` or `data` URL.
    var isLocal: Bool { scheme.map { ["file", "data"].contains($0.lowercased()) } ?? false }
}
