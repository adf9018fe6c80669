internal import Dispatch
internal import Essentials
internal import ImageFormats

extension ImageLoader {
    /// The disk cache, if `request` may read from it.
    func reads(_ request: ImageRequest) -> (any DataCaching)? {
        let isAsked = !request.options.contains(.disableDiskCacheReads) && request.cachePolicy != .reload
        return isAsked ? configuration.dataCache : nil
    }

    /// The disk cache, if `request` may write to it.
    func writes(_ request: ImageRequest) -> (any DataCaching)? {
        request.options.contains(.disableDiskCacheWrites) ? nil : configuration.dataCache
    }

    /// Returns the original's bytes from the disk cache; nil if it has none.
    @inline(never)
    func readOriginal(
        from cache: any DataCaching, _ key: DataCacheKey, _ stages: inout [ImageTaskMetrics.Stage]
    ) async -> DataOutput? {
        let start = ContinuousClock.now
        let entry = await cache.entry(for: key)
        stages.add(.cache, waiting: .zero, working: .now - start)
        return entry.map { DataOutput($0, from: .diskOriginal, stages) }
    }

    /// Returns the processed image from the disk cache; nil if it has none, or it can't be decoded.
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
        // Decodes here to detect damage, as the image can still be made again.
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

    /// The request with which to decode a processed image from disk: it is already scaled and processed.
    private static func plain(_ request: ImageRequest) -> ImageRequest {
        var plain = request
        plain.processors = []
        plain.thumbnail = nil
        plain.decoding = DecodingOptions()
        return plain
    }

    /// Decodes the disk cache's data for `request`.
    func picture(of entry: DataCacheEntry, as request: ImageRequest) async throws -> ImageContainer {
        let isOriginal = processedKey(cacheKey(request)) == nil
        let data = DataOutput(entry, from: isOriginal ? .diskOriginal : .diskProcessed)
        return try await picture(of: data, isOriginal ? request : Self.plain(request))
    }

    /// Stores the original bytes, if the configuration keeps originals, or final images and `isFinalImage` is set,
    /// which means that the image is delivered without processing.
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
        // A success may contain anything, such as a network's sign-in page, which must not replace an image.
        guard await hasDecoder(output, request) else { return }
        // Removes everything made of an earlier version.
        if request.cachePolicy == .reload || request.cachePolicy == .revalidate {
            await cache.removeAll(in: key.group)
        }
        let items = configuration.dataCacheOptions.storedItems
        guard items.contains(.originalImageData) || isFinalImage && items.contains(.finalImage), !output.data.isEmpty,
            output.response?.allowsCaching != false
        else { return }
        await cache.store(DataCacheEntry(data: output.data, metadata: metadata), for: key)
    }

    /// Whether there is a decoder for the bytes, judged by their beginning.
    private func hasDecoder(_ output: DataOutput, _ request: ImageRequest) async -> Bool {
        guard !output.data.isEmpty else { return false }
        let context = ImageDecodingContext(
            request: request, data: output.data, urlResponse: output.response,
            codecs: codecs)
        return (try? await compute { configuration.makeImageDecoder(context) != nil }) ?? false
    }

    /// Removes an original that can't be decoded from disk, and returns whether to load it again: if it came from a
    /// cache, the source may have an intact copy.
    /// - Parameter request: Changed not to read the disk cache.
    /// - Throws: `dataMissingInCache` if the request may not load.
    @inline(never)
    func loadsAgain(
        after error: ImagePipeline.Error, _ source: ImageResponse.Source, _ request: inout ImageRequest
    ) async throws -> Bool {
        guard !Task.isCancelled, request.url?.isLocal != true else { return false }
        let isCached = source == .diskOriginal || source == .revalidated || source == .memory
        // Bytes without a decoder weren't stored, so the disk has an earlier image, if any.
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

    /// Encodes and stores a processed image in the background.
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
        // An image that can't be encoded isn't stored. It has been delivered already.
        let data = try? await graph.perform(.encode, for: id, into: &stages) {
            await encoded(output.container, request)
        }
        guard let data = data ?? nil, !data.isEmpty else { return }
        let metadata = output.container.cacheMetadata ?? metadata(of: nil)
        await cache.store(DataCacheEntry(data: data, metadata: metadata), for: key)
    }

    /// Encodes the image for the disk cache; nil if there is no encoder or it fails.
    func encoded(_ container: ImageContainer, _ request: ImageRequest) async -> Data? {
        let context = ImageEncodingContext(
            request: request, container: container, codecs: codecs)
        return try? await compute {
            try configuration.makeImageEncoder(context)?.encode(container, context: context)
        }
    }
}

extension DataOutput {
    /// The data of a cache entry, with a response made of its metadata.
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
