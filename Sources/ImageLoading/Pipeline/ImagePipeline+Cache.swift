public import Essentials

extension ImagePipeline {
    /// The pipeline's caches, accessed by request.
    public var cache: Cache { Cache(loader: loader) }

    /// Returns the image at `url` from the memory cache, possibly a preview. Accesses neither disk nor network.
    public func cachedResponse(for url: URL) -> ImageResponse? { cachedResponse(for: ImageRequest(url: url)) }

    /// Returns the image for `request` from the memory cache, possibly a preview. Accesses neither disk nor network.
    public func cachedResponse(for request: ImageRequest) -> ImageResponse? {
        loader.remembered(request, loader.cacheKey(request)).map {
            ImageResponse(
                container: $0, request: request, urlResponse: nil, source: .memory, isJoined: false,
                metrics: ImageTaskMetrics())
        }
    }

    /// Removes all variants of the request's image from both caches.
    public func removeCachedResponses(for request: ImageRequest) async {
        let group = loader.group(request)
        loader.forget(group)
        await configuration.dataCache?.removeAll(in: group)
    }

    /// A pipeline's memory and disk caches, accessed by request.
    ///
    /// ```swift
    /// if let container = pipeline.cache[request] { show(container.image) }
    /// if await pipeline.cache.containsCachedImage(for: request, caches: .disk) { offerOffline() }
    /// await pipeline.cache.storeCachedImage(ImageContainer(image: avatar), for: request)
    /// ```
    ///
    /// The subscripts access only memory and return immediately; everything that may access the disk is asynchronous.
    /// Options of the request that disable a cache apply here too. Its `cachePolicy` doesn't, as no server is asked.
    public struct Cache: Sendable {
        let loader: ImageLoader

        /// The caches that an operation applies to.
        public struct Caches: OptionSet, Hashable, Sendable {
            /// The bit mask.
            public let rawValue: UInt8
            /// Creates a set from a bit mask.
            public init(rawValue: UInt8) { self.rawValue = rawValue }

            /// The memory cache, with decoded images.
            public static let memory = Caches(rawValue: 1 << 0)
            /// The disk cache, with encoded data.
            public static let disk = Caches(rawValue: 1 << 1)
            /// Both caches.
            public static let all: Caches = [.memory, .disk]
        }
    }
}

extension ImagePipeline.Cache {
    /// The image for `url` in the memory cache. Setting nil removes it.
    public subscript(url: URL) -> ImageContainer? {
        get { self[ImageRequest(url: url)] }
        nonmutating set { self[ImageRequest(url: url)] = newValue }
    }

    /// The request's image in the memory cache, possibly a preview. Setting nil removes it. A preview is stored only if
    /// the configuration's `isStoringPreviewsInMemoryCache` is set.
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

    /// The key of the request's image in the memory cache.
    public func makeImageCacheKey(for request: ImageRequest) -> ImageCacheKey { loader.cacheKey(request) }

    /// The key of the request's data in the disk cache: that of the processed image if the request has processors or a
    /// thumbnail, otherwise that of the original.
    public func makeDataCacheKey(for request: ImageRequest) -> DataCacheKey {
        let key = loader.cacheKey(request)
        return loader.processedKey(key) ?? DataCacheKey(group: key.group)
    }

    /// Returns the request's image from the first cache that has it. Data on disk is decoded; nil if that fails.
    ///
    /// To find the original of a processed image, use a request without processors.
    public func cachedImage(for request: ImageRequest, caches: Caches = .all) async -> ImageContainer? {
        if caches.contains(.memory), let container = self[request] { return container }
        guard caches.contains(.disk), let entry = await entry(for: request) else { return nil }
        return try? await loader.picture(of: entry, as: request)
    }

    /// Stores an image for the request. On disk, it is encoded by the configuration's encoder; previews and images that
    /// can't be encoded are stored in memory only.
    public func storeCachedImage(
        _ container: ImageContainer, for request: ImageRequest, caches: Caches = .all
    ) async {
        if caches.contains(.memory) { self[request] = container }
        guard caches.contains(.disk), !container.isPreview, loader.writes(request) != nil,
            let data = await loader.encoded(container, request)
        else { return }
        await storeCachedData(data, for: request)
    }

    /// Removes the request's image. Other variants stay; `removeCachedResponses(for:)` removes those too.
    public func removeCachedImage(for request: ImageRequest, caches: Caches = .all) async {
        if caches.contains(.memory) { self[request] = nil }
        if caches.contains(.disk) { await removeCachedData(for: request) }
    }

    /// Whether one of the caches has the request's image. On disk, only the metadata is read.
    public func containsCachedImage(for request: ImageRequest, caches: Caches = .all) async -> Bool {
        if caches.contains(.memory), self[request] != nil { return true }
        return caches.contains(.disk) ? await containsData(for: request) : false
    }

    /// Returns the request's data on disk: the original file, or the encoded image if the request has processors or a
    /// thumbnail.
    public func cachedData(for request: ImageRequest) async -> Data? { await entry(for: request)?.data }

    /// Stores data on disk for the request. Empty data isn't stored.
    public func storeCachedData(_ data: some Sequence<UInt8>, for request: ImageRequest) async {
        let data = data as? Data ?? Data(data)
        guard !data.isEmpty, let cache = loader.writes(request) else { return }
        let entry = DataCacheEntry(data: data, metadata: loader.metadata(of: nil))
        await cache.store(entry, for: makeDataCacheKey(for: request))
    }

    /// Whether the request has data on disk. Reads only the metadata.
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

    /// Removes everything from the given caches.
    public func removeAll(caches: Caches = .all) async {
        if caches.contains(.memory) { loader.configuration.imageCache?.removeAll() }
        if caches.contains(.disk) { await loader.configuration.dataCache?.removeAll() }
    }

    private func entry(for request: ImageRequest) async -> DataCacheEntry? {
        guard !request.options.contains(.disableDiskCacheReads) else { return nil }
        return await loader.configuration.dataCache?.entry(for: makeDataCacheKey(for: request))
    }
}
