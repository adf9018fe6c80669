internal import ImageFormats
internal import ImageLoading
internal import Raster

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Finished pictures: in memory, on the disk, being made.
///
/// What is asked for twice is made once. So many are made at a time, so many wait, and the others are sent away.
package final class RenderedPictures: Sendable {
    private let memory: ByteBoundedCache<String, RenderedPicture>
    private let disk: DataCache?
    private let renders = SharedRenders<RenderedPicture>()
    /// The line before the renderer.
    package let line: RenderLine
    private let timeout: Duration

    package init(_ configuration: ImageServerConfiguration) {
        memory = ByteBoundedCache(costLimit: configuration.memoryCacheByteLimit / 2)
        disk = configuration.cacheDirectory.map {
            DataCache(directory: $0, byteLimit: configuration.cacheByteLimit)
        }
        line = RenderLine(
            width: configuration.renderCount ?? ImageExecutor.processorCount,
            depth: configuration.waitingRequestCount)
        timeout = configuration.renderTimeout
    }

    /// Bytes and number of the pictures in memory.
    package var memoryTotals: (cost: Int, count: Int) { memory.totals }

    /// The picture under `key`, from where it is, or made.
    /// - Parameters:
    ///   - group: The picture's identifier.
    ///   - key: Its file's version and what is made of it: all that makes a difference.
    ///   - isKeptOnDisk: Whether making it takes longer than reading it would.
    package func picture(
        _ group: String, _ key: String, isKeptOnDisk: Bool,
        _ make: @escaping @Sendable () async throws(RequestFailure) -> RenderedPicture
    ) async throws(RequestFailure) -> RenderedPicture {
        let name = "\(group) \(key)"
        return try await renders.value(for: name) { [self] () throws(RequestFailure) in
            let diskKey = DataCacheKey(group: group, variant: Array(key.utf8))
            if isKeptOnDisk, let picture = await stored(diskKey) {
                keep(picture, name)
                return picture
            }
            let picture = try await withinTime { [self] () throws(RequestFailure) in try await line.perform(make) }
            keep(picture, name)
            if isKeptOnDisk { await store(picture, diskKey) }
            return picture
        }
    }

    /// The picture under `key` from memory, or made at once, for what takes less than standing in line.
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

    private func keep(_ picture: RenderedPicture, _ name: String) {
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

    /// Does `body`, for no longer than a response may take.
    private func withinTime(
        _ body: @escaping @Sendable () async throws(RequestFailure) -> RenderedPicture
    ) async throws(RequestFailure) -> RenderedPicture {
        let timeout = timeout
        let result = await withTaskGroup(of: Result<RenderedPicture, RequestFailure>?.self) { group in
            group.addTask {
                do throws(RequestFailure) {
                    return .success(try await body())
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard let result else {
            throw RequestFailure(503, "that takes longer than this server works for one request", retryAfter: 10)
        }
        return try result.get()
    }
}
