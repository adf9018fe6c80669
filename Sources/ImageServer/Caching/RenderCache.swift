internal import Essentials
package import ImageFormats
internal import ImageLoading
internal import Raster

/// Finished pictures: in memory, on the disk, being made.
///
/// What is asked for twice is made once. So many are made at a time, so many wait, and the others are sent away.
package final class RenderCache: Sendable {
    private let memory: ByteBoundedCache<String, RenderedPicture>
    private let disk: DataCache?
    private let renders = SharedRenders<RenderedPicture>()
    /// The queue before the renderer.
    package let queue: RenderQueue
    private let timeout: Duration

    package init(_ configuration: ImageServerConfiguration) {
        memory = ByteBoundedCache(costLimit: configuration.memoryCacheByteLimit / 2)
        disk = configuration.cacheDirectory.map {
            DataCache(directory: $0, byteLimit: configuration.cacheByteLimit)
        }
        queue = RenderQueue(
            width: configuration.renderCount ?? ImageExecutor.processorCount,
            depth: configuration.waitingRequestCount,
            byteLimit: configuration.renderMemoryByteLimit ?? RenderMemory.defaultByteLimit)
        timeout = configuration.renderTimeout
    }

    /// Bytes and number of the pictures in memory.
    package var memoryTotals: (cost: Int, count: Int) { memory.totals }

    /// The picture under `key`, from where it is, or made.
    /// - Parameters:
    ///   - group: The picture's identifier.
    ///   - key: Its file's version and what is made of it: all that makes a difference.
    ///   - isKeptOnDisk: Whether making it takes longer than reading it would.
    ///   - cost: What `make` takes, asked for when it has to be made.
    package func picture(
        _ group: String, _ key: String, isKeptOnDisk: Bool,
        cost: @escaping @Sendable () throws(RequestFailure) -> CodingCost,
        _ make: @escaping @Sendable () async throws(RequestFailure) -> RenderedPicture
    ) async throws(RequestFailure) -> RenderedPicture {
        let name = "\(group) \(key)"
        return try await renders.value(for: name) { [self] () throws(RequestFailure) in
            let diskKey = DataCacheKey(group: group, variant: Array(key.utf8))
            if isKeptOnDisk, let picture = await stored(diskKey) {
                keep(picture, name)
                return picture
            }
            let (cost, deadline) = (try cost(), ContinuousClock.now + timeout)
            let picture = try await withTimeLimit(timeout, orThrow: isLate) { [self] () throws(RequestFailure) in
                try await queue.perform(cost, deadline: deadline, make)
            }
            keep(picture, name)
            if isKeptOnDisk { await store(picture, diskKey) }
            return picture
        }
    }

    /// The picture under `key` from memory, or made at once, for what takes less than standing in queue.
    package func picture(
        _ group: String, _ key: String, copied make: () async throws(RequestFailure) -> RenderedPicture?
    ) async throws(RequestFailure) -> RenderedPicture? {
        let name = "\(group) \(key)"
        if let picture = memory.value(for: name) { return picture }
        guard let picture = try await make() else { return nil }
        keep(picture, name)
        return picture
    }

    /// Waits until what was made is on the disk.
    package func flush() async { await disk?.flush() }

    /// Large ones are left to the disk: a few of them would take the place of thousands of thumbnails and tiles.
    private func keep(_ picture: RenderedPicture, _ name: String) {
        guard picture.bytes.count <= memory.costLimit / 64 else { return }
        memory.insert(picture, for: name, cost: picture.bytes.count + name.utf8.count * 2 + 200)
    }

    private func stored(_ key: DataCacheKey) async -> RenderedPicture? {
        guard let entry = await disk?.entry(for: key), let mediaType = entry.metadata.mimeType else { return nil }
        return RenderedPicture(mediaType: mediaType, bytes: Array(entry.data))
    }

    private func store(_ picture: RenderedPicture, _ key: DataCacheKey) async {
        guard let disk else { return }
        let metadata = DataCacheMetadata(
            mimeType: picture.mediaType, freshness: CacheFreshness(validatedAt: 0, lifetime: 0))
        await disk.store(DataCacheEntry(data: Data(picture.bytes.array), metadata: metadata), for: key)
    }

    private var isLate: RequestFailure {
        let seconds = timeout / .seconds(1)
        return RequestFailure(
            503, "rendering timed out after \(seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)") s",
            retryAfter: 10)
    }

    // MARK: The cache folder

    /// How many responses couldn't be written to the cache folder; nil without one.
    var cacheFailureCount: Int? { disk?.failureCount }

    /// Why nothing can be written to the cache folder; nil where it can, or where there is none.
    var cacheProblem: String? {
        guard let disk else { return nil }
        do throws(ImageError) {
            // Without a name as long as it isn't committed: nothing is left behind.
            let file = try AtomicFile(path: disk.directory + "/probe", overwrites: true)
            try file.write([0])
            return nil
        } catch {
            return "cache folder \(disk.directory) can't be written: \(error.message)"
        }
    }
}
