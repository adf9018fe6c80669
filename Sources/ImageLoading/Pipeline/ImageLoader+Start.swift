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
        do {
            _ = try load(request, key, for: .task(task))
        } catch {
            task.finish(.failure(.cancelled), as: .cancelled)
        }
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

    /// Has the picture that `request` asks for made for somebody, together with others who want it.
    func load(
        _ request: ImageRequest, _ key: ImageJobKey, for target: Job.Subscriber.Target
    ) throws -> JobGraph.Subscription {
        let subscription = graph.subscribe(to: .image(key), target, priority: request.priority) { id in
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
