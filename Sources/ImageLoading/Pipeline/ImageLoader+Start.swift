extension ImageLoader {
    /// Begins a task, or ends it at once where the picture is in memory.
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
        let subscription = graph.subscribe(to: .image(key), priority: task.priority, .task(task)) { id in
            await run(id, request, key)
        }
        if subscription == nil { task.finish(.failure(.cancelled), as: .cancelled) }
    }

    /// The picture, if the memory cache has it and it may be used without asking anybody.
    func remembered(_ request: ImageRequest, _ key: ImageCacheKey) -> ImageContainer? {
        guard let cache = configuration.imageCache, !request.options.contains(.disableMemoryCacheReads),
            request.cachePolicy != .reload, let container = cache[key]
        else { return nil }
        if request.cachePolicy == .revalidate {
            guard !container.isPreview, container.cacheMetadata?.freshness.isFresh(at: now) == true else { return nil }
        }
        return container
    }

    /// Has the server asked about what was served though it is no longer fresh, for the next time.
    func revalidate(_ request: ImageRequest, _ metadata: DataCacheMetadata?) {
        guard let metadata, !metadata.freshness.isFresh(at: now), case .url = request.source else { return }
        var request = request
        request.cachePolicy = .revalidate
        request.priority = .veryLow
        let task = ImageTask(request, graph: graph)
        background.begin()
        start(task)
        Task {
            _ = try? await task.response
            background.end()
        }
    }

    private func run(_ id: JobID, _ request: ImageRequest, _ key: ImageJobKey) async {
        do {
            graph.finish(id, withImage: .success(try await makeImage(id, request, key)))
        } catch {
            graph.finish(id, withImage: .failure(error))
        }
    }

    /// Has the picture that `request` asks for made for the job `consumer`, together with others who want it.
    func subscribe(_ consumer: JobID, to request: ImageRequest) throws -> Inbox<ImageOutput> {
        let inbox = Inbox<ImageOutput>()
        let key = jobKey(request)
        let subscription = graph.subscribe(
            to: .image(key), priority: graph.priority(of: consumer), .image(consumer, inbox)
        ) { id in
            await run(id, request, key)
        }
        guard subscription != nil else { throw CancellationError() }
        return inbox
    }
}
