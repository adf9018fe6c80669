extension ImageLoader {
    /// What a server says of a picture that is cached.
    enum Validation {
        /// Nothing: what is cached is still good, or there is nothing to ask about.
        case isFresh
        /// It is what is cached; with the picture, if that is in memory.
        case isUnchanged(ImageOutput?)
        /// These are its bytes now.
        case hasChanged(DataOutput)
    }

    /// Asks the server about what is cached, if that is no longer fresh.
    func validate(_ id: JobID, _ request: ImageRequest, _ key: ImageCacheKey) async throws -> Validation {
        guard case .url(let url) = request.source, !url.isLocal,
            !request.options.contains(.returnCacheDataDontLoad)
        else { return .isFresh }
        let held = request.options.contains(.disableMemoryCacheReads) ? nil : configuration.imageCache?[key]
        let container = held?.isPreview == true ? nil : held
        var known = container?.cacheMetadata
        if known == nil, !request.options.contains(.disableDiskCacheReads), let cache = configuration.dataCache {
            known = await cache.metadata(for: DataCacheKey(group: key.group))
            if known == nil, let processed = processedKey(key) { known = await cache.metadata(for: processed) }
        }
        guard let known else { return .isFresh }
        guard !known.freshness.isFresh(at: now) else { return .isFresh }
        let data = try await ask(id, request, known.hasValidator ? known : nil)
        guard data.isUnchanged else {
            forget(key.group)
            return .hasChanged(data)
        }
        guard var container else { return .isUnchanged(nil) }
        if let freshness = data.metadata?.freshness { container.cacheMetadata?.freshness = freshness }
        if !request.options.contains(.disableMemoryCacheWrites) { configuration.imageCache?[key] = container }
        return .isUnchanged(
            ImageOutput(
                container: container, urlResponse: data.response, source: .revalidated, isJoined: data.isJoined,
                stages: data.stages, byteCount: data.byteCount))
    }

    private func ask(_ id: JobID, _ request: ImageRequest, _ known: DataCacheMetadata?) async throws -> DataOutput {
        let inbox = Inbox<DataEvent>()
        let key = dataKey(request, isValidation: true)
        let subscription = graph.subscribe(
            to: .data(key), priority: graph.priority(of: id), .data(id, inbox, wantsParts: false)
        ) { id in
            await run(id, request, key, conditionalOn: known)
        }
        guard subscription != nil else { throw CancellationError() }
        while true {
            if case .final(.complete(let data)) = try await inbox.next() { return data }
        }
    }

    /// Removes from memory what was made of a version that is no longer the current one.
    private func forget(_ group: String) {
        guard let cache = configuration.imageCache else { return }
        for key in cache.keys(in: group) { cache[key] = nil }
    }
}
