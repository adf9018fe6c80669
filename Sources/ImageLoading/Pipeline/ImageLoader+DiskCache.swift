internal import Dispatch
internal import Essentials
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
        return entry.map { DataOutput($0, from: .diskOriginal, stages) }
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
        var plain = Self.plain(request)
        // Whether it is damaged is found here, where it can be made again.
        if !graph.isWanted(id) { plain.options.remove(.skipDecompression) }
        do {
            return try await decode(DataOutput(entry, from: .diskProcessed, stages), id, plain)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            await cache.remove(for: key)
            return nil
        }
    }

    /// The request for a processed picture on disk: made small and processed it has been already.
    private static func plain(_ request: ImageRequest) -> ImageRequest {
        var plain = request
        plain.processors = []
        plain.thumbnail = nil
        plain.decoding = DecodingOptions()
        return plain
    }

    /// The picture in the data that the disk cache has for `request`.
    func picture(of entry: DataCacheEntry, as request: ImageRequest) async throws -> ImageContainer {
        let isOriginal = processedKey(cacheKey(request)) == nil
        let data = DataOutput(entry, from: isOriginal ? .diskOriginal : .diskProcessed)
        return try await picture(of: data, isOriginal ? request : Self.plain(request))
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
        // Anything may come with a success, such as a network's sign-in page. It takes no image's place.
        guard await hasDecoder(output, request) else { return }
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

    /// Whether there is a decoder for the bytes; by their beginning, as nothing is decoded.
    private func hasDecoder(_ output: DataOutput, _ request: ImageRequest) async -> Bool {
        guard !output.data.isEmpty else { return false }
        let context = ImageDecodingContext(
            request: request, data: output.data, urlResponse: output.response,
            codecs: codecs)
        return (try? await compute { configuration.makeImageDecoder(context) != nil }) ?? false
    }

    /// Removes from disk the original of a request that can't be decoded, and says whether to load it again: what came from
    /// a cache may be there whole at its source.
    /// - Parameter request: Changed so that it doesn't ask the disk cache.
    /// - Throws: `dataMissingInCache` where nothing is to be loaded.
    @inline(never)
    func loadsAgain(
        after error: ImagePipeline.Error, _ source: ImageResponse.Source, _ request: inout ImageRequest
    ) async throws -> Bool {
        guard !Task.isCancelled, request.url?.isLocal != true else { return false }
        let isCached = source == .diskOriginal || source == .revalidated || source == .memory
        // What nobody decodes wasn't stored: what is there, if anything, is an earlier image.
        let isStored = if case .decoderNotRegistered = error { false } else { writes(request) != nil }
        if isCached || isStored {
            await configuration.dataCache?.remove(for: DataCacheKey(group: group(request)))
        }
        guard isCached, !request.options.contains(.disableDiskCacheReads) else { return false }
        guard !request.options.contains(.returnCacheDataDontLoad) else {
            throw ImagePipeline.Error.dataMissingInCache
        }
        request.options.insert(.disableDiskCacheReads)
        return true
    }

    /// Has a processed picture's bytes made and kept; nobody waits for that.
    func storeProcessed(_ output: ImageOutput, _ request: ImageRequest, _ key: ImageCacheKey) {
        guard configuration.dataCacheOptions.storedItems.contains(.finalImage), let cache = writes(request),
            let key = processedKey(key),
            output.urlResponse?.allowsCaching != false
        else { return }
        background.enter()
        let subscription = try? graph.subscribe(to: .encoding(key), .pipeline, priority: .low) { id in
            await encode(output, id, request, cache, key)
            graph.finish(id)
            background.leave()
        }
        if subscription?.isJoined != false { background.leave() }
    }

    private func encode(
        _ output: ImageOutput, _ id: JobID, _ request: ImageRequest, _ cache: any DataCaching, _ key: DataCacheKey
    ) async {
        var stages: [ImageTaskMetrics.Stage] = []
        // A picture that can't be encoded isn't kept; it has been delivered.
        let data = try? await graph.perform(.encode, for: id, into: &stages) {
            await encoded(output.container, request)
        }
        guard let data = data ?? nil, !data.isEmpty else { return }
        let metadata = output.container.cacheMetadata ?? metadata(of: nil)
        await cache.store(DataCacheEntry(data: data, metadata: metadata), for: key)
    }

    /// The picture as bytes for the disk cache; nil where there is no encoder for it, or that fails.
    func encoded(_ container: ImageContainer, _ request: ImageRequest) async -> Data? {
        let context = ImageEncodingContext(
            request: request, container: container, codecs: codecs)
        return try? await compute {
            try configuration.makeImageEncoder(context)?.encode(container, context: context)
        }
    }
}

extension DataOutput {
    /// What the disk cache has, with what was said of it when it came.
    fileprivate init(
        _ entry: DataCacheEntry, from source: ImageResponse.Source, _ stages: [ImageTaskMetrics.Stage] = []
    ) {
        let (metadata, byteCount) = (entry.metadata, entry.data.count)
        var headers = HTTPHeaders()
        headers["Content-Type"] = metadata.mimeType
        headers["ETag"] = metadata.entityTag
        headers["Last-Modified"] = metadata.lastModified
        let response = DataResponse(
            url: metadata.url.flatMap { URL(string: $0) }, headers: headers, expectedByteCount: byteCount)
        self.init(
            data: entry.data, response: response, source: source, metadata: metadata, stages: stages,
            byteCount: byteCount)
    }
}
