extension ImagePrefetcher {
    /// The loading of one picture, begun.
    struct Work: Sendable {
        let cancel: @Sendable () -> Void
        let setPriority: @Sendable (ImageRequest.Priority) -> Void
    }

    /// Begins to load what `request` asks for; `completion` is called at the end, unless that is its being cancelled.
    static func begin(
        _ request: ImageRequest, to destination: Destination, in pipeline: ImagePipeline,
        completion: @escaping @Sendable () -> Void
    ) -> Work? {
        switch destination {
        case .memoryCache:
            let task = pipeline.imageTask(with: request)
            Task {
                _ = try? await task.response
                completion()
            }
            return Work(cancel: { task.cancel() }, setPriority: { task.priority = $0 })
        case .diskCache:
            let (loader, inbox) = (pipeline.loader, DataInbox())
            guard let subscription = try? loader.load(request, for: .bytes(inbox)) else { return nil }
            Task {
                _ = try? await inbox.last()
                completion()
            }
            return Work(
                cancel: {
                    inbox.finish(.failure(CancellationError()))
                    loader.graph.unsubscribe(subscription)
                }, setPriority: { loader.graph.setPriority($0, of: subscription) })
        }
    }
}
