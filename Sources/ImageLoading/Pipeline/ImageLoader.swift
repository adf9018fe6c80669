internal import Dispatch
internal import Essentials
internal import ImageEffects
internal import ImageFormats
internal import Raster

/// Runs a pipeline's jobs.
///
/// The steps that an image passes; other requests can join a job at each:
///
/// | step | function | file |
/// |---|---|---|
/// | memory cache | `start`, `remembered` | this file |
/// | revalidation, processed image on disk | `makeImage`, `validate` | `ImageLoader+Image` |
/// | processors, the last one first | `make`, `process` | `ImageLoader+Image` |
/// | decoder, with previews | `decodeOriginal`, `decodePart`, `decode` | `ImageLoader+Original` |
/// | bytes from disk or source | `load`, `makeData`, `fetch` | `ImageLoader+Original` |
/// | storing on disk | `store`, `storeProcessed` | `ImageLoader+DiskCache` |
struct ImageLoader: Sendable {
    let configuration: ImagePipeline.Configuration
    let graph: JobGraph
    /// Work that continues after its task has ended: storing and revalidation.
    let background = DispatchGroup()
    let fetcher: DataFetcher

    init(_ configuration: ImagePipeline.Configuration) {
        self.configuration = configuration
        graph = JobGraph(
            [
                StageQueue(.data, configuration.dataLoadingQueue),
                StageQueue(.decode, configuration.imageDecodingQueue),
                StageQueue(.process, configuration.imageProcessingQueue),
                StageQueue(.encode, configuration.imageEncodingQueue),
            ], maximumUndecodedByteCount: configuration.maximumUndecodedByteCount,
            sharesJobs: configuration.isTaskCoalescingEnabled)
        fetcher = DataFetcher(loader: configuration.dataLoader, configuration: configuration.dataFetching)
    }

    var codecs: CodecRegistry { configuration.codecs ?? .default }

    /// The current time in seconds since 1970.
    var now: Int64 { fetcher.clock.secondsSince1970() }

    /// The metadata of bytes that arrive now; without a response, they are stale at once.
    func metadata(of response: DataResponse?) -> DataCacheMetadata {
        response.map { DataCacheMetadata(response: $0, receivedAt: now) }
            ?? DataCacheMetadata(freshness: CacheFreshness(validatedAt: now, lifetime: 0))
    }

    /// Runs CPU-bound work on the configuration's executor, not on the threads of waiting tasks.
    func compute<Result: Sendable>(_ body: @Sendable () throws -> Result) async throws -> Result {
        try await withTaskExecutorPreference(configuration.executor) { try body() }
    }

    func finishBackgroundWork() async {
        await withCheckedContinuation { continuation in
            background.notify(queue: .global()) { continuation.resume() }
        }
    }
}

// MARK: Keys

extension ImageLoader {
    /// The name of the request's image in the caches.
    func group(_ request: ImageRequest) -> String {
        request.imageID ?? request.url.map(configuration.makeImageID) ?? ""
    }

    /// The request's key in the memory cache.
    func cacheKey(_ request: ImageRequest) -> ImageCacheKey {
        ImageCacheKey(
            group: group(request), scale: request.scale, thumbnail: request.thumbnail,
            processors: request.processors.map(\.identity), decoding: request.decoding.identity)
    }

    /// The key of the processed image on disk; nil without processors and thumbnail.
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
        // Options for the memory cache and decoding don't affect the bytes.
        DataJobKey(
            group: group(request),
            options: request.options.intersection([.disableDiskCache, .returnCacheDataDontLoad]),
            cachePolicy: request.cachePolicy, headers: request.headers, isValidation: isValidation)
    }

}

// MARK: Tasks

extension ImageLoader {
    /// Starts a task, or finishes it at once if the image is in memory.
    func start(_ task: ImageTask) {
        let request = task.request
        let key = jobKey(request)
        if let found = remembered(request, key.picture) {
            let response = ImageOutput(container: found, source: .memory).response(for: task, isJoined: false)
            if !found.isPreview {
                if request.cachePolicy == .staleWhileRevalidate { revalidate(request, found.cacheMetadata) }
                return task.finish(.success(response))
            }
            task.report(response)
        }
        do {
            _ = try load(request, key, for: .task(task))
        } catch ImagePipeline.Error.circularRequest {
            task.finish(.failure(.circularRequest))
        } catch {
            task.finish(.failure(.cancelled), as: .cancelled)
        }
    }

    /// The image in the memory cache, if the request's policy allows its use without revalidation.
    func remembered(_ request: ImageRequest, _ key: ImageCacheKey) -> ImageContainer? {
        guard let cache = configuration.imageCache, !request.options.contains(.disableMemoryCacheReads),
            request.cachePolicy != .reload, let container = cache[key]
        else { return nil }
        if request.cachePolicy == .revalidate {
            guard !container.isPreview, container.cacheMetadata?.freshness.isFresh(at: now) == true else { return nil }
        }
        return container
    }

    /// Revalidates a stale image in the background, for later requests.
    func revalidate(_ request: ImageRequest, _ metadata: DataCacheMetadata?) {
        guard let metadata, !metadata.freshness.isFresh(at: now), case .url = request.source else { return }
        var request = request
        request.cachePolicy = .revalidate
        request.priority = .veryLow
        let task = ImageTask(request, graph: graph)
        background.enter()
        start(task)
        Task {
            _ = try? await task.response
            background.leave()
        }
    }

    /// Makes the image of `request` for a subscriber, sharing the work with others.
    func load(
        _ request: ImageRequest, _ key: ImageJobKey, for target: Job.Subscriber.Target
    ) throws -> JobGraph.Subscription {
        let subscription = try graph.subscribe(to: .image(key), target, priority: request.priority) { id in
            do {
                graph.finish(id, withImage: .success(try await makeImage(id, request, key)))
            } catch {
                graph.finish(id, withImage: .failure(error))
            }
        }
        guard let subscription else { throw CancellationError() }
        return subscription
    }
}
