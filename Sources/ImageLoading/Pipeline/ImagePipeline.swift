public import Essentials
public import Raster
internal import Synchronization

/// Loads pictures: from caches, files, servers, closures or bytes, decoded and processed, each only once however many
/// ask for it.
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
/// Work is shared at every stage: bytes are loaded once, decoded once for each size, and processors that several requests
/// begin with run once. A stage's line is served by priority. When nobody waits for a piece of work any longer it stops,
/// down to the connection.
public final class ImagePipeline: Sendable {
    private static let sharedPipeline = Mutex(ImagePipeline(configuration: .withDataCache()))

    /// The pipeline of the process, to be replaced by one of your own. It keeps the bytes of what it loads on disk, at most
    /// 150 MiB in the user's cache folder, so that pictures are there without a network too.
    public static var shared: ImagePipeline {
        get { sharedPipeline.withLock { $0 } }
        set { sharedPipeline.withLock { $0 = newValue } }
    }

    /// What the pipeline is made of.
    public let configuration: Configuration
    let loader: ImageLoader

    /// A pipeline of this configuration.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
        loader = ImageLoader(configuration)
    }

    /// A pipeline of the standard configuration with the changes that `configure` makes.
    public convenience init(_ configure: (inout Configuration) -> Void) {
        var configuration = Configuration()
        configure(&configuration)
        self.init(configuration: configuration)
    }

    /// The picture at `url`.
    public func image(for url: URL) async throws(Error) -> Image { try await image(for: ImageRequest(url: url)) }

    /// The picture that `request` asks for. Cancelling the calling task cancels the loading.
    public func image(for request: ImageRequest) async throws(Error) -> Image { try await response(for: request).image }

    /// The picture that `request` asks for, and where it came from.
    public func response(for request: ImageRequest) async throws(Error) -> ImageResponse {
        try await imageTask(with: request).response
    }

    /// Begins to load the picture at `url`.
    public func imageTask(with url: URL) -> ImageTask { imageTask(with: ImageRequest(url: url)) }

    /// Begins to load the picture that `request` asks for.
    public func imageTask(with request: ImageRequest) -> ImageTask {
        let task = ImageTask(request, graph: loader.graph)
        loader.observe(task)
        loader.start(task)
        return task
    }

    /// Cancels everything. Whatever is asked for afterwards is cancelled as well.
    public func invalidate() { loader.graph.invalidate() }

    /// Returns when everything that the pipeline wants on disk is there.
    public func flush() async {
        await loader.finishBackgroundWork()
        await configuration.dataCache?.flush()
    }
}

extension ImagePipeline {
    /// Loads the picture at `url`, and calls back as `loadImage(with:progress:completion:)` with a request does.
    @discardableResult
    public func loadImage(
        with url: URL,
        progress: (@Sendable (_ preview: ImageResponse?, _ completed: Int, _ total: Int) -> Void)? = nil,
        completion: @escaping @Sendable (Result<ImageResponse, Error>) -> Void
    ) -> ImageTask {
        loadImage(with: ImageRequest(url: url), progress: progress, completion: completion)
    }

    /// Loads the picture that `request` asks for, and calls back, one call at a time, in order.
    ///
    /// The calls come on the concurrent pool, whatever actor or thread this is called on, and never before it returns: an
    /// interface goes to the main actor from there (`Task { @MainActor in … }`), or awaits the task's `response` instead,
    /// which resumes where it is awaited.
    /// - Parameters:
    ///   - progress: Called with each preview, and with nil when only the number of bytes has changed. The total is 0
    ///     while it isn't known.
    ///   - completion: Called once, at the end.
    @discardableResult
    public func loadImage(
        with request: ImageRequest,
        progress: (@Sendable (_ preview: ImageResponse?, _ completed: Int, _ total: Int) -> Void)? = nil,
        completion: @escaping @Sendable (Result<ImageResponse, Error>) -> Void
    ) -> ImageTask {
        let task = imageTask(with: request)
        Task {
            for await event in task.events {
                let bytes = task.currentProgress
                switch event {
                case .progress(let bytes): progress?(nil, bytes.completedByteCount, bytes.totalByteCount ?? 0)
                case .preview(let preview): progress?(preview, bytes.completedByteCount, bytes.totalByteCount ?? 0)
                case .finished(let result): completion(result)
                }
            }
        }
        return task
    }

    /// The request's bytes as they came, from the disk cache or from where they are; nothing is decoded.
    ///
    /// They are kept on disk if there is a decoder for them: a sign-in page that a network sends in an image's place isn't.
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

    /// The bytes at `url`.
    public func data(for url: URL) async throws(Error) -> (data: Data, response: DataResponse?) {
        try await data(for: ImageRequest(url: url))
    }

    /// The request's bytes as they arrive, for a picture too large for memory: no more of them are held than the reader
    /// has asked for, but the first 64 MiB for the disk cache, where what is shorter is kept as usual.
    ///
    /// Bytes that are being loaded for somebody else are shared. A stream waits for its reader, so no two share one, nor
    /// does it stand in line. Ending the iteration, or cancelling its task, ends the loading.
    /// - Throws: What keeps the loading from beginning; what interrupts it is thrown to the reader.
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
                // They come at once.
                let subscription = try loader.load(request, for: .bytes(inbox))
                return StreamedBytes.joined(inbox, loader.graph, subscription)
            case .image: throw Error.dataIsEmpty
            }
        } catch {
            throw Error(error)
        }
    }

    /// The bytes at `url` as they arrive.
    public func bytes(for url: URL) async throws(Error) -> DataChunks { try await bytes(for: ImageRequest(url: url)) }

    /// How many jobs wait in line and work at `stage`, which isn't `cache`.
    package func jobCounts(at stage: Stage) -> (waiting: Int, running: Int) {
        let queue = loader.graph.state.withLock { $0.queues[stage.line] }
        return (queue.waitingCount, queue.runningCount)
    }

    /// How many jobs there are, whatever they are doing.
    package var jobCount: Int { loader.graph.state.withLock { $0.jobs.count } }
}
