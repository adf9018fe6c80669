#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import ImageEffects
internal import ImageFormats
internal import Raster

/// Does a pipeline's jobs.
struct ImageLoader: Sendable {
    let configuration: ImagePipeline.Configuration
    let graph: JobGraph
    let background = BackgroundWork()
    let fetcher: DataFetcher

    init(_ configuration: ImagePipeline.Configuration) {
        self.configuration = configuration
        graph = JobGraph(
            [
                StageQueue(.data, configuration.dataLoadingQueue),
                StageQueue(.decode, configuration.imageDecodingQueue),
                StageQueue(.process, configuration.imageProcessingQueue),
                StageQueue(.encode, configuration.imageEncodingQueue),
            ], maximumHeldByteCount: configuration.maximumUndecodedByteCount)
        fetcher = DataFetcher(loader: configuration.dataLoader, configuration: configuration.dataFetching)
    }

    /// Seconds since 1970.
    var now: Int64 { fetcher.clock.secondsSince1970() }

    /// What is kept of bytes that came now, with `response` if it was a server that they came from.
    func metadata(of response: DataResponse?) -> DataCacheMetadata {
        response.map { DataCacheMetadata(response: $0, receivedAt: now) }
            ?? DataCacheMetadata(freshness: CacheFreshness(validatedAt: now, lifetime: 0))
    }

    /// Does work of the processor's, away from the threads of those who wait.
    func compute<Result: Sendable>(_ body: @Sendable () throws -> Result) async throws -> Result {
        try await withTaskExecutorPreference(configuration.executor) { try body() }
    }
}

extension ImageLoader {
    /// What the caches know the request's picture by.
    func group(_ request: ImageRequest) -> String {
        request.imageID ?? request.url.map(configuration.makeImageID) ?? ""
    }

    /// What the memory cache knows the request's picture by.
    func cacheKey(_ request: ImageRequest) -> ImageCacheKey {
        ImageCacheKey(
            group: group(request), scale: request.scale, thumbnail: request.thumbnail,
            processors: request.processors.map(\.identity), decoding: request.decoding.identity)
    }

    /// What the disk cache knows the processed picture by; nil where that is what came.
    func processedKey(_ picture: ImageCacheKey) -> DataCacheKey? {
        guard !picture.processors.isEmpty || picture.thumbnail != nil else { return nil }
        return DataCacheKey(group: picture.group, variant: picture.variantBytes)
    }

    func isProgressive(_ request: ImageRequest) -> Bool {
        request.isProgressiveDecodingEnabled ?? configuration.isProgressiveDecodingEnabled
    }

    func jobKey(_ request: ImageRequest) -> ImageJobKey {
        ImageJobKey(
            picture: cacheKey(request), options: request.options, cachePolicy: request.cachePolicy,
            headers: request.headers, isProgressive: isProgressive(request))
    }

    func dataKey(_ request: ImageRequest, isValidation: Bool = false) -> DataJobKey {
        // Options of the memory cache and of decoding make no difference to the bytes.
        DataJobKey(
            group: group(request),
            options: request.options.intersection([.disableDiskCache, .returnCacheDataDontLoad]),
            cachePolicy: request.cachePolicy, headers: request.headers, isValidation: isValidation)
    }
}
