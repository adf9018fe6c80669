public import Essentials

extension ImagePipeline {
    /// The pipeline's caches, by request.
    public var cache: Cache { Cache(loader: loader) }

    /// The picture at `url`, if the memory cache has it; a preview says that it is one. Asks neither disk nor network.
    public func cachedResponse(for url: URL) -> ImageResponse? { cachedResponse(for: ImageRequest(url: url)) }

    /// The picture that `request` asks for, if the memory cache has it; a preview says that it is one.
    public func cachedResponse(for request: ImageRequest) -> ImageResponse? {
        loader.remembered(request, loader.cacheKey(request)).map {
            ImageResponse(
                container: $0, request: request, urlResponse: nil, source: .memory, isJoined: false,
                metrics: ImageTaskMetrics())
        }
    }

    /// Removes the request's picture from both caches, with everything that was made of it.
    public func removeCachedResponses(for request: ImageRequest) async {
        let group = loader.group(request)
        loader.forget(group)
        await configuration.dataCache?.removeAll(in: group)
    }

    /// The memory cache and the disk cache of a pipeline, by the requests that they are used for.
    ///
    /// ```swift
    /// if let container = pipeline.cache[request] { show(container.image) }
    /// if await pipeline.cache.containsCachedImage(for: request, caches: .disk) { offerOffline() }
    /// await pipeline.cache.storeCachedImage(ImageContainer(image: avatar), for: request)
    /// ```
    ///
    /// The subscripts ask memory alone and answer at once; everything that may touch the disk is asynchronous. A request's
    /// options that keep it away from a cache do so here too; its `cachePolicy` makes no difference, as no server is asked.
    public struct Cache: Sendable {
        let loader: ImageLoader

        /// Some of a pipeline's caches.
        public struct Caches: OptionSet, Hashable, Sendable {
            /// The bits.
            public let rawValue: UInt8
            /// Caches of these bits.
            public init(rawValue: UInt8) { self.rawValue = rawValue }

            /// Decoded images.
            public static let memory = Caches(rawValue: 1 << 0)
            /// Bytes on disk.
            public static let disk = Caches(rawValue: 1 << 1)
            /// Both.
            public static let all: Caches = [.memory, .disk]
        }
    }
}

extension ImagePipeline.Cache {
    /// The image at `url` in the memory cache. Setting nil removes it.
    public subscript(url: URL) -> ImageContainer? {
        get { self[ImageRequest(url: url)] }
        nonmutating set { self[ImageRequest(url: url)] = newValue }
    }

    /// The request's image in the memory cache, which may be a preview. Setting nil removes it. A preview is stored only
    /// where the configuration has `isStoringPreviewsInMemoryCache`.
    public subscript(request: ImageRequest) -> ImageContainer? {
        get {
            guard !request.options.contains(.disableMemoryCacheReads) else { return nil }
            return loader.configuration.imageCache?[makeImageCacheKey(for: request)]
        }
        nonmutating set {
            if let newValue {
                guard !request.options.contains(.disableMemoryCacheWrites),
                    !newValue.isPreview || loader.configuration.isStoringPreviewsInMemoryCache
                else { return }
            }
            loader.configuration.imageCache?[makeImageCacheKey(for: request)] = newValue
        }
    }

    /// What the memory cache knows the request's image by.
    public func makeImageCacheKey(for request: ImageRequest) -> ImageCacheKey { loader.cacheKey(request) }

    /// What the disk cache knows the request's data by: the processed image's where the request has processors or a
    /// thumbnail, the original's otherwise.
    public func makeDataCacheKey(for request: ImageRequest) -> DataCacheKey {
        let key = loader.cacheKey(request)
        return loader.processedKey(key) ?? DataCacheKey(group: key.group)
    }

    /// The request's image from the first of the caches that has it. One on disk is decoded; nil where that fails.
    ///
    /// To find the original of a processed image, ask without processors.
    public func cachedImage(for request: ImageRequest, caches: Caches = .all) async -> ImageContainer? {
        if caches.contains(.memory), let container = self[request] { return container }
        guard caches.contains(.disk), let entry = await entry(for: request) else { return nil }
        return try? await loader.picture(of: entry, as: request)
    }

    /// Stores an image as the request's. For the disk it is encoded as the configuration's encoder does it; an image that
    /// can't be encoded, and a preview, isn't stored there.
    public func storeCachedImage(
        _ container: ImageContainer, for request: ImageRequest, caches: Caches = .all
    ) async {
        if caches.contains(.memory) { self[request] = container }
        guard caches.contains(.disk), !container.isPreview, loader.writes(request) != nil,
            let data = await loader.encoded(container, request)
        else { return }
        await storeCachedData(data, for: request)
    }

    /// Removes the request's image. What else was made of the same original stays; `removeCachedResponses(for:)` removes
    /// that too.
    public func removeCachedImage(for request: ImageRequest, caches: Caches = .all) async {
        if caches.contains(.memory) { self[request] = nil }
        if caches.contains(.disk) { await removeCachedData(for: request) }
    }

    /// Whether one of the caches has the request's image. On disk only its description is read, nothing is decoded.
    public func containsCachedImage(for request: ImageRequest, caches: Caches = .all) async -> Bool {
        if caches.contains(.memory), self[request] != nil { return true }
        return caches.contains(.disk) ? await containsData(for: request) : false
    }

    /// The request's data on disk: the file as it came, or the encoded image where the request has processors or a
    /// thumbnail.
    public func cachedData(for request: ImageRequest) async -> Data? { await entry(for: request)?.data }

    /// Stores data on disk as the request's. Empty data is nothing, and isn't stored.
    public func storeCachedData(_ data: some Sequence<UInt8>, for request: ImageRequest) async {
        let data = data as? Data ?? Data(data)
        guard !data.isEmpty, let cache = loader.writes(request) else { return }
        let entry = DataCacheEntry(data: data, metadata: loader.metadata(of: nil))
        await cache.store(entry, for: makeDataCacheKey(for: request))
    }

    /// Whether the disk has data of the request's. Only its description is read.
    public func containsData(for request: ImageRequest) async -> Bool {
        guard !request.options.contains(.disableDiskCacheReads), let cache = loader.configuration.dataCache else {
            return false
        }
        return await cache.metadata(for: makeDataCacheKey(for: request)) != nil
    }

    /// Removes the request's data from disk.
    public func removeCachedData(for request: ImageRequest) async {
        await loader.configuration.dataCache?.remove(for: makeDataCacheKey(for: request))
    }

    /// Empties the caches.
    public func removeAll(caches: Caches = .all) async {
        if caches.contains(.memory) { loader.configuration.imageCache?.removeAll() }
        if caches.contains(.disk) { await loader.configuration.dataCache?.removeAll() }
    }

    private func entry(for request: ImageRequest) async -> DataCacheEntry? {
        guard !request.options.contains(.disableDiskCacheReads) else { return nil }
        return await loader.configuration.dataCache?.entry(for: makeDataCacheKey(for: request))
    }
}
