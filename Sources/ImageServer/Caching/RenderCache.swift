internal import Essentials
package import ImageFormats
internal import ImageLoading
internal import Raster
internal import Synchronization

/// Finished responses: cached in memory and on disk, or rendered once for all concurrent requests.
///
/// A queue limits the concurrent renders and the waiting ones, and refuses the rest.
package final class RenderCache: Sendable {
    /// Identifies a response in memory.
    private struct Key: Hashable {
        /// The image's identifier.
        let group: String
        let variant: String
    }

    private let memory: ByteBoundedCache<Key, RenderedPicture>
    /// The number of purges. A render that began before one isn't kept.
    private let purgeCount = Atomic(0)
    private let disk: DataCache?
    private let renders = SharedRenders<RenderedPicture>()
    #if HTTP
    /// Responses in a bucket, shared with other servers; nil for none.
    let shared: SharedResults?
    #endif
    /// The queue in front of the renderer.
    package let queue: RenderQueue
    private let timeout: Duration

    package init(_ configuration: ImageServerConfiguration) {
        memory = ByteBoundedCache(costLimit: configuration.memoryCacheByteLimit / 2)
        disk = configuration.cacheDirectory.map {
            DataCache(directory: $0, byteLimit: configuration.cacheByteLimit)
        }
        #if HTTP
        shared = configuration.results.flatMap { try? S3Address($0) }.map {
            SharedResults(
                $0, settings: "1 \(configuration.quality) \(configuration.background)",
                store: configuration.objectStore)
        }
        #endif
        queue = RenderQueue(
            width: configuration.renderCount ?? ImageExecutor.processorCount + 1,
            depth: configuration.waitingRequestCount,
            byteLimit: configuration.renderMemoryByteLimit ?? RenderMemory.defaultByteLimit)
        timeout = configuration.renderTimeout
    }

    /// The total cost in bytes and the number of responses in memory.
    package var memoryTotals: (cost: Int, count: Int) { memory.totals }

    /// Returns the response for `key` from the disk cache, or renders it. Concurrent requests share one render.
    /// - Parameters:
    ///   - group: The image's identifier.
    ///   - key: The file's version and everything else that the response depends on.
    ///   - sharedName: As group and key, but the same on every server with the same image.
    ///   - isKeptOnDisk: Whether to use the disk cache and the shared results; false if rendering is as fast as reading.
    ///   - cost: The estimated cost of `make`, computed only if it must run.
    package func picture(
        _ group: String, _ key: String, sharedName: String, isKeptOnDisk: Bool,
        cost: @escaping @Sendable () throws(RequestFailure) -> CodingCost,
        _ make: @escaping @Sendable () async throws(RequestFailure) -> RenderedPicture
    ) async throws(RequestFailure) -> RenderedPicture {
        let name = Key(group: group, variant: key)
        let purge = purgeCount.load(ordering: .relaxed)
        return try await renders.value(for: "\(purge) \(group) \(key)") { [self] () throws(RequestFailure) in
            let diskKey = DataCacheKey(group: group, variant: Array(key.utf8))
            if isKeptOnDisk, let picture = await stored(diskKey) {
                if purgeCount.load(ordering: .relaxed) == purge { keep(picture, name) }
                return picture
            }
            #if HTTP
            if isKeptOnDisk, let picture = await shared?.picture(sharedName, of: group) {
                guard purgeCount.load(ordering: .relaxed) == purge else { return picture }
                keep(picture, name)
                await store(picture, diskKey)
                return picture
            }
            #endif
            let (cost, deadline) = (try cost(), ContinuousClock.now + timeout)
            let picture = try await ServiceTrace.span("render") { () async throws(RequestFailure) in
                try await withTimeLimit(timeout, orThrow: isLate) { [self] () throws(RequestFailure) in
                    try await queue.perform(cost, deadline: deadline, make)
                }
            }
            guard purgeCount.load(ordering: .relaxed) == purge else { return picture }
            keep(picture, name)
            if isKeptOnDisk { await store(picture, diskKey) }
            #if HTTP
            if isKeptOnDisk {
                shared?.store(picture, sharedName, of: group) { purgeCount.load(ordering: .relaxed) == purge }
            }
            #endif
            return picture
        }
    }

    /// Removes the responses of the images that match, from memory and disk. Renders in progress aren't kept.
    /// - Returns: The number of responses that were in memory and on disk.
    package func removeAll(
        of matches: @escaping @Sendable (_ group: String) -> Bool
    ) async -> (memory: Int, disk: Int) {
        purgeCount.wrappingAdd(1, ordering: .relaxed)
        let count = memory.removeAll { matches($0.group) }
        return (count, await disk?.removeAll(ofGroups: matches) ?? 0)
    }

    #if HTTP
    /// Removes the shared results of the images that `prefix` opens, after `removeAll(of:)`.
    /// - Returns: Their number.
    /// - Throws: 503 if some can't be removed.
    func removeShared(of prefix: SignedPrefix) async throws(RequestFailure) -> Int {
        do {
            return try await shared?.removeAll(of: prefix) ?? 0
        } catch {
            throw RequestFailure(
                503,
                "this server's caches are purged, but not all shared results: their store can't be reached; purge again",
                retryAfter: 5)
        }
    }
    #endif

    /// Returns the response for `key` from memory, or makes it outside the queue, for copies that are quick to make.
    package func picture(
        _ group: String, _ key: String, copied make: () async throws(RequestFailure) -> RenderedPicture?
    ) async throws(RequestFailure) -> RenderedPicture? {
        let name = Key(group: group, variant: key)
        if let picture = memory.value(for: name) { return picture }
        guard let picture = try await make() else { return nil }
        keep(picture, name)
        return picture
    }

    /// Waits until everything that was rendered is on disk and among the shared results.
    package func flush() async {
        await disk?.flush()
        #if HTTP
        await shared?.flush()
        #endif
    }

    /// Large responses are kept only on disk: a few would displace thousands of thumbnails and tiles.
    private func keep(_ picture: RenderedPicture, _ key: Key) {
        guard picture.bytes.count <= memory.costLimit / 64 else { return }
        let keyByteCount = key.group.utf8.count + key.variant.utf8.count
        memory.insert(picture, for: key, cost: picture.bytes.count + keyByteCount * 2 + 200)
    }

    private func stored(_ key: DataCacheKey) async -> RenderedPicture? {
        guard let disk else { return nil }
        let found = await ServiceTrace.span("cache read") { () async throws(Never) in await disk.entry(for: key) }
        guard let entry = found, let mediaType = entry.metadata.mimeType else { return nil }
        return RenderedPicture(mediaType: mediaType, bytes: Array(entry.data))
    }

    private func store(_ picture: RenderedPicture, _ key: DataCacheKey) async {
        guard let disk else { return }
        let metadata = DataCacheMetadata(
            mimeType: picture.mediaType, freshness: CacheFreshness(validatedAt: 0, lifetime: 0))
        await ServiceTrace.span("cache write") { () async throws(Never) in
            await disk.store(DataCacheEntry(data: Data(picture.bytes.array), metadata: metadata), for: key)
        }
    }

    private var isLate: RequestFailure {
        let seconds = timeout / .seconds(1)
        return RequestFailure(
            503, "rendering timed out after \(seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)") s",
            retryAfter: 10)
    }

    // MARK: The cache folder

    /// The number of failed writes to the cache folder; nil without one.
    var cacheFailureCount: Int? { disk?.failureCount }

    /// Why the cache folder can't be written; nil if it can, or if there is none.
    var cacheProblem: String? {
        guard let disk else { return nil }
        do throws(ImageError) {
            // The file has no name until it is committed, so nothing is left behind.
            let file = try AtomicFile(path: disk.directory + "/probe", overwrites: true)
            try file.write([0])
            return nil
        } catch {
            return "cache folder \(disk.directory) can't be written: \(error.message)"
        }
    }
}
