public import Essentials
public import Raster
internal import Synchronization

/// Loads, decodes and processes images from caches, files, servers, closures or bytes.
///
/// ```swift
/// let image = try await ImagePipeline.shared.image(for: url)
///
/// let pipeline = ImagePipeline { $0.isProgressiveDecodingEnabled = true }
/// let task = pipeline.imageTask(with: ImageRequest(url: url, processors: [.resize(width: 320)]))
/// for await preview in task.previews { show(preview.image) }
/// show(try await task.response.image)
/// ```
///
/// Concurrent requests share work at every stage: bytes are loaded once, decoded once for each size, and common leading
/// processors run once. Each stage serves its queue by priority. Work that no request needs any longer is cancelled,
/// down to the connection.
public final class ImagePipeline: Sendable {
    private static let sharedPipeline = Mutex(ImagePipeline(configuration: .withDataCache()))

    /// The shared pipeline, which can be replaced. By default, it stores original bytes on disk, at most 150 MiB in the
    /// user's cache folder, so that images are available offline.
    public static var shared: ImagePipeline {
        get { sharedPipeline.withLock { $0 } }
        set { sharedPipeline.withLock { $0 = newValue } }
    }

    /// The components and settings of the pipeline.
    public let configuration: Configuration
    let loader: ImageLoader

    /// Creates a pipeline with a configuration.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        loader = ImageLoader(configuration)
    }

    /// Creates a pipeline with the default configuration, changed by `configure`.
    public convenience init(_ configure: (inout Configuration) -> Void) {
        var configuration = Configuration()
        configure(&configuration)
        self.init(configuration: configuration)
    }

    /// Returns the image at `url`.
    public func image(for url: URL) async throws(Error) -> Image { try await image(for: ImageRequest(url: url)) }

    /// Returns the image for `request`. Cancelling the calling task cancels the loading.
    public func image(for request: ImageRequest) async throws(Error) -> Image { try await response(for: request).image }

    /// Returns the image for `request`, with its source and metrics.
    public func response(for request: ImageRequest) async throws(Error) -> ImageResponse {
        try await imageTask(with: request).response
    }

    /// Starts loading the image at `url`.
    public func imageTask(with url: URL) -> ImageTask { imageTask(with: ImageRequest(url: url)) }

    /// Starts loading the image for `request`.
    public func imageTask(with request: ImageRequest) -> ImageTask {
        let task = ImageTask(request, graph: loader.graph)
        loader.observe(task)
        loader.start(task)
        return task
    }

    /// Cancels all tasks. Later requests are cancelled immediately.
    public func invalidate() { loader.graph.invalidate() }

    /// Returns when all pending writes to disk are complete.
    public func flush() async {
        await loader.finishBackgroundWork()
        await configuration.dataCache?.flush()
    }
}

extension ImagePipeline {
    /// Loads the image at `url` with callbacks, like `loadImage(with:progress:completion:)` with a request.
    @discardableResult
    public func loadImage(
        with url: URL,
        @_inheritActorContext progress: (
            @Sendable @isolated(any) (_ preview: ImageResponse?, _ completed: Int, _ total: Int) -> Void
        )? = nil,
        @_inheritActorContext completion: @escaping @Sendable @isolated(any) (Result<ImageResponse, Error>) -> Void
    ) -> ImageTask {
        loadImage(with: ImageRequest(url: url), progress: progress, completion: completion)
    }

    /// Loads the image for `request` with callbacks, which are called in order, one at a time.
    ///
    /// A closure runs on the actor of the code that it is written in: a view's on the main actor, and one in code
    /// without an actor on the concurrent pool, maybe before this method returns. `{ @MainActor result in … }` chooses
    /// the main actor from anywhere, and a nonisolated function in place of the closure the pool. Callbacks on the main
    /// actor need its thread: a program that blocks the main thread until they come waits forever.
    /// - Parameters:
    ///   - progress: Called with each preview, and with nil when only the number of bytes has changed. The total is 0
    ///     if it is unknown.
    ///   - completion: Called once, at the end.
    @discardableResult
    public func loadImage(
        with request: ImageRequest,
        @_inheritActorContext progress: (
            @Sendable @isolated(any) (_ preview: ImageResponse?, _ completed: Int, _ total: Int) -> Void
        )? = nil,
        @_inheritActorContext completion: @escaping @Sendable @isolated(any) (Result<ImageResponse, Error>) -> Void
    ) -> ImageTask {
        let task = imageTask(with: request)
        Task {
            for await event in task.events {
                let bytes = task.currentProgress
                switch event {
                case .progress(let bytes): await progress?(nil, bytes.completedByteCount, bytes.totalByteCount ?? 0)
                case .preview(let preview):
                    await progress?(preview, bytes.completedByteCount, bytes.totalByteCount ?? 0)
                case .finished(let result): await completion(result)
                }
            }
        }
        return task
    }

    /// Returns the request's original bytes, from the disk cache or their source, without decoding them.
    ///
    /// They are stored on disk if there is a decoder for them, which excludes a network's sign-in page, for instance.
    public func data(for request: ImageRequest) async throws(Error) -> (data: Data, response: DataResponse?) {
        let (loader, inbox) = (loader, DataInbox())
        do {
            let subscription = try loader.load(request, for: .bytes(inbox))
            let output = try await withTaskCancellationHandler {
                try await inbox.last()
            } onCancel: {
                inbox.finish(.failure(CancellationError()))
                loader.graph.unsubscribe(subscription)
            }
            guard !output.data.isEmpty else { throw Error.dataIsEmpty }
            return (output.data, output.response)
        } catch {
            throw Error(error)
        }
    }

    /// Returns the original bytes at `url`.
    public func data(for url: URL) async throws(Error) -> (data: Data, response: DataResponse?) {
        try await data(for: ImageRequest(url: url))
    }

    /// Streams the request's bytes, for images larger than memory. Only what the reader has requested is held, plus the
    /// first 64 MiB for the disk cache, where shorter data is stored as usual.
    ///
    /// Joins the load of the same bytes if one is in progress. A new stream runs at its reader's pace, so it isn't
    /// shared and doesn't wait in a queue. Ending the iteration, or cancelling its task, ends the transfer.
    /// - Throws: Errors that prevent loading from starting; later ones are thrown to the reader.
    public func bytes(for request: ImageRequest) async throws(Error) -> DataChunks {
        var stages: [ImageTaskMetrics.Stage] = []
        let key = DataCacheKey(group: loader.group(request))
        if let cache = loader.reads(request), let output = await loader.readOriginal(from: cache, key, &stages) {
            return DataChunks(output.data)
        }
        guard !request.options.contains(.returnCacheDataDontLoad) else { throw .dataMissingInCache }
        let inbox = DataInbox()
        let joined = try loader.graph.subscribe(
            to: .data(loader.dataKey(request)), .bytes(inbox), priority: request.priority)
        if let joined { return StreamedBytes.joined(inbox, loader.graph, joined) }
        do {
            switch request.source {
            case .url(let url) where url.isLocal:
                return try await loader.configuration.dataLoader.load(DataRequest(url: url)).body
            case .url(let url): return StreamedBytes(loader: loader, request: request, url: url, key: key).chunks
            case .data:
                // The closure returns all bytes at once.
                let subscription = try loader.load(request, for: .bytes(inbox))
                return StreamedBytes.joined(inbox, loader.graph, subscription)
            case .image: throw Error.dataIsEmpty
            }
        } catch {
            throw Error(error)
        }
    }

    /// Streams the bytes at `url`.
    public func bytes(for url: URL) async throws(Error) -> DataChunks { try await bytes(for: ImageRequest(url: url)) }

    /// The number of jobs that wait or run at `stage`, which must not be `cache`.
    package func jobCounts(at stage: Stage) -> (waiting: Int, running: Int) {
        let queue = loader.graph.state.withLock { $0.queues[stage.line] }
        return (queue.waitingCount, queue.runningCount)
    }

    /// The number of jobs in any state.
    package var jobCount: Int { loader.graph.state.withLock { $0.jobs.count } }
}
