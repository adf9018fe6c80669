#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
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
