extension ImageLoader {
    /// What a server says of a picture that is cached.
    enum Validation {
        /// Nothing: what is cached is still good, or there is nothing to ask about.
        case isFresh
        /// It is what is cached, on disk.
        case isUnchanged
        /// This is it: the one in memory, or another.
        case isMade(ImageOutput)
    }

    /// Asks the server about what is cached, if that is no longer fresh.
    @inline(never)
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
        let inbox = DataInbox()
        _ = try load(request, for: .data(id, inbox, wantsParts: false), validating: known)
        let data = try await inbox.last()
        guard data.isUnchanged else {
            forget(key.group)
            var output = try await decode(data, id, request)
            for processor in request.processors { output = try await process(output, id, request, processor) }
            return .isMade(keep(output, id, request, key))
        }
        guard var container else { return .isUnchanged }
        if let freshness = data.metadata?.freshness { container.cacheMetadata?.freshness = freshness }
        if !request.options.contains(.disableMemoryCacheWrites) { configuration.imageCache?[key] = container }
        return .isMade(
            ImageOutput(
                container: container, urlResponse: data.response, source: .revalidated, isJoined: data.isJoined,
                stages: data.stages, byteCount: data.byteCount))
    }

    /// Removes from memory what was made of a picture.
    func forget(_ group: String) {
        guard let cache = configuration.imageCache else { return }
        for key in cache.keys(in: group) { cache[key] = nil }
    }
}
