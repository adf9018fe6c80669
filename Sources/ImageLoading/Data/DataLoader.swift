#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

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
