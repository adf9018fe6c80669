#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import ImageFormats

extension ImageLoader {
    /// The cache, if it is asked for what `request` wants.
    func reads(_ request: ImageRequest) -> (any DataCaching)? {
        let isAsked = !request.options.contains(.disableDiskCacheReads) && request.cachePolicy != .reload
        return isAsked ? configuration.dataCache : nil
    }

    /// The cache, if it is given what comes of `request`.
    func writes(_ request: ImageRequest) -> (any DataCaching)? {
        request.options.contains(.disableDiskCacheWrites) ? nil : configuration.dataCache
    }

    /// The original's bytes, if they are on disk.
    @inline(never)
    func readOriginal(
        from cache: any DataCaching, _ key: DataCacheKey, _ stages: inout [ImageTaskMetrics.Stage]
    ) async -> DataOutput? {
        let start = ContinuousClock.now
        let entry = await cache.entry(for: key)
        stages.add(.cache, waiting: .zero, working: .now - start)
        return entry.map {
            DataOutput(
                data: $0.data, response: $0.metadata.response(byteCount: $0.data.count), source: .diskOriginal,
                metadata: $0.metadata, stages: stages, byteCount: $0.data.count)
        }
    }

    /// The processed picture, if it is on disk.
    @inline(never)
    func readProcessed(
        from cache: any DataCaching, _ key: DataCacheKey, _ id: JobID, _ request: ImageRequest,
        _ stages: inout [ImageTaskMetrics.Stage]
    ) async throws -> ImageOutput? {
        let start = ContinuousClock.now
        let entry = await cache.entry(for: key)
        stages.add(.cache, waiting: .zero, working: .now - start)
        guard let entry else { return nil }
        // What is on disk has been made small and processed already.
        var plain = request
        plain.processors = []
        plain.thumbnail = nil
        plain.decoding = DecodingOptions()
        let data = DataOutput(
            data: entry.data, response: entry.metadata.response(byteCount: entry.data.count), source: .diskProcessed,
            metadata: entry.metadata, stages: stages, byteCount: entry.data.count)
        do {
            return try await decode(data, id, plain)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            await cache.remove(for: key)
            return nil
        }
    }

    /// Keeps the bytes as they came, if originals are kept or `isFinalImage`: nothing is to be done to the picture.
    @inline(never)
    func store(
        _ output: DataOutput, of request: ImageRequest, in cache: any DataCaching, _ key: DataCacheKey,
        isFinalImage: Bool = false
    ) async {
        guard let metadata = output.metadata else { return }
        if output.isUnchanged {
            await cache.update(metadata.freshness, for: key)
            return
        }
        // What was made of another version would be wrong beside this one.
        if request.cachePolicy == .reload || request.cachePolicy == .revalidate {
            await cache.removeAll(in: key.group)
        }
        let items = configuration.dataCacheOptions.storedItems
        guard items.contains(.originalImageData) || isFinalImage && items.contains(.finalImage), !output.data.isEmpty,
            output.response?.allowsCaching != false
        else { return }
        await cache.store(DataCacheEntry(data: output.data, metadata: metadata), for: key)
    }

    /// Has a processed picture's bytes made and kept; nobody waits for that.
    func storeProcessed(_ output: ImageOutput, _ request: ImageRequest, _ key: ImageCacheKey) {
        guard configuration.dataCacheOptions.storedItems.contains(.finalImage), output.source != .diskProcessed,
            let cache = writes(request), let key = processedKey(key),
            output.urlResponse?.allowsCaching != false
        else { return }
        background.begin()
        let subscription = graph.subscribe(to: .encoding(key), .pipeline, priority: .low) { id in
            await encode(output, id, request, cache, key)
            graph.finish(id)
            background.end()
        }
        if subscription?.isJoined != false { background.end() }
    }

    private func encode(
        _ output: ImageOutput, _ id: JobID, _ request: ImageRequest, _ cache: any DataCaching, _ key: DataCacheKey
    ) async {
        var stages: [ImageTaskMetrics.Stage] = []
        let context = ImageEncodingContext(request: request, container: output.container)
        // A picture that can't be encoded isn't kept; it has been delivered.
        let data = try? await graph.perform(.encode, for: id, into: &stages) {
            try await compute {
                try configuration.makeImageEncoder(context)?.encode(output.container, context: context)
            }
        }
        guard let data = data ?? nil, !data.isEmpty else { return }
        let metadata = output.container.cacheMetadata ?? metadata(of: nil)
        await cache.store(DataCacheEntry(data: data, metadata: metadata), for: key)
    }
}

extension DataCacheMetadata {
    /// What was said of the bytes when they came.
    func response(byteCount: Int) -> DataResponse {
        var headers = HTTPHeaders()
        headers["Content-Type"] = mimeType
        headers["ETag"] = entityTag
        headers["Last-Modified"] = lastModified
        return DataResponse(url: url.flatMap { URL(string: $0) }, headers: headers, expectedByteCount: byteCount)
    }
}
