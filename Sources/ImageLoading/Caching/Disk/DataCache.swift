package import Dispatch
internal import Platform
public import Raster
internal import Synchronization

/// A cache for bytes in a folder, with one file per entry.
///
/// ```swift
/// let cache = DataCache(directory: "/var/cache/gallery", byteLimit: 1 << 30, maximumAge: .seconds(7 * 86_400))
/// ```
///
/// Entries are complete or absent, even if the process is killed or the power fails: each is written to a temporary
/// file first, and its checksum is verified on reading. Several processes can share a folder. An entry that can't be
/// written, because the disk is full or the folder is read-only, isn't kept, and `lastError` has the reason; damaged
/// files are removed.
///
/// When the limit is exceeded, the least recently used entries are removed. The limit counts blocks of 4 KiB, as file
/// systems do. All file access runs on the cache's own threads.
public final class DataCache: DataCaching {
    /// How long an entry is kept after it was stored or last confirmed by its server; nil for no limit.
    public let maximumAge: Duration?
    package let folder: DataCacheFolder

    struct State {
        var stores = PendingStores()
        /// The tasks that wait until fewer bytes are pending.
        var waiting: [CheckedContinuation<Void, Never>] = []
        var byteLimit: Int
        /// The cost of the files when they were last counted, updated with what this process has changed since.
        var byteCount = 0
        var writtenByteCount = 0
        var countedAt = FileTime.now
        var failureCount = 0
        var lastError: ImageError?
    }

    let state: Mutex<State>
    /// Writes files, one job at a time.
    package let writer = DispatchQueue(label: "tessera.data-cache")
    /// Reads files, four at a time: disks serve several concurrent readers better than one.
    private static let readers = ImageExecutor(width: 4)

    /// The number of bytes that may wait in memory to be written before `store(_:for:)` suspends.
    static let pendingByteLimit = 32 << 20
    /// The number of seconds after which the files are counted again and old ones removed.
    static let countingSeconds: Int64 = 3600

    /// Creates a cache in the folder at `directory`, which is created if it doesn't exist.
    /// - Parameters:
    ///   - byteLimit: The maximum total size of the entries, in bytes.
    ///   - maximumAge: How long an entry is kept after it was stored or last confirmed by its server; nil for no limit.
    public init(directory: String, byteLimit: Int = 150 << 20, maximumAge: Duration? = nil) {
        folder = DataCacheFolder(path: directory)
        state = Mutex(State(byteLimit: max(0, byteLimit)))
        self.maximumAge = maximumAge
        enqueue { $0.open() }
    }

    /// The maximum total size of the entries, in bytes. Setting a lower limit starts trimming in the background.
    public var byteLimit: Int {
        get { state.withLock { $0.byteLimit } }
        set {
            state.withLock { $0.byteLimit = max(0, newValue) }
            enqueue { $0.open() }
        }
    }

    /// The absolute path of the cache's folder.
    public var directory: String { folder.path }

    /// The number of entries that couldn't be written.
    public var failureCount: Int { state.withLock { $0.failureCount } }

    /// The error of the last entry that couldn't be written; nil if there was none.
    public var lastError: ImageError? { state.withLock { $0.lastError } }

    /// The number of tasks that wait for room to store.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Counts the folder's entries. Opens every file.
    public func statistics() async -> DataCacheStatistics {
        await withTaskExecutorPreference(Self.readers) { folder.statistics() }
    }

    /// Returns the entry under `key`; nil if there is none, or it is damaged or older than `maximumAge`.
    public func entry(for key: DataCacheKey) async -> DataCacheEntry? {
        if let entry = state.withLock({ $0.stores.entry(key) }) { return entry }
        return await withTaskExecutorPreference(Self.readers) { read(key, withData: true) }
    }

    /// Returns the metadata under `key`, without reading the entry's data.
    public func metadata(for key: DataCacheKey) async -> DataCacheMetadata? {
        if let entry = state.withLock({ $0.stores.entry(key) }) { return entry.metadata }
        return await withTaskExecutorPreference(Self.readers) { read(key, withData: false)?.metadata }
    }

    private func read(_ key: DataCacheKey, withData: Bool) -> DataCacheEntry? {
        switch folder.find(key, withData: withData) {
        case .entry(let entry, let file):
            guard let age = maximumAge?.components.seconds,
                FileTime.now.seconds(since: file.modificationTime) > age
            else { return entry }
            enqueue { $0.discard(file) }
        case .damaged(let file): enqueue { $0.discard(file) }
        case .nothing: break
        }
        return nil
    }
}

extension DataCache {
    /// Stores `entry` under `key`. It is available immediately, while it is still being written.
    ///
    /// Suspends only while more than 32 MiB wait to be written.
    public func store(_ entry: DataCacheEntry, for key: DataCacheKey) async {
        let (old, isTooMuch) = state.withLock { state in
            let (number, old) = state.stores.insert(entry, key)
            enqueue { $0.write(key, number) }
            return (old, state.stores.cost > Self.pendingByteLimit)
        }
        _ = consume old
        if isTooMuch {
            await withCheckedContinuation { continuation in
                let isRoom = state.withLock { state in
                    guard state.stores.cost > Self.pendingByteLimit else { return true }
                    state.waiting.append(continuation)
                    return false
                }
                if isRoom { continuation.resume() }
            }
        }
    }

    /// Records that the server has confirmed the bytes under `key`; they stay unchanged.
    public func update(_ freshness: CacheFreshness, for key: DataCacheKey) async {
        let old = state.withLock { state -> DataCacheEntry? in
            guard var entry = state.stores.entry(key) else {
                enqueue { $0.folder.update(freshness, for: key) }
                return nil
            }
            entry.metadata.freshness = freshness
            let (number, old) = state.stores.insert(entry, key)
            enqueue { $0.write(key, number) }
            return old
        }
        if old == nil { await flush() }
    }

    /// Removes the bytes under `key`, and returns when they are deleted.
    public func remove(for key: DataCacheKey) async {
        let old = state.withLock { state in
            enqueue { $0.add(-$0.folder.remove(DataCacheFileName(key))) }
            return state.stores.remove(key)
        }
        _ = consume old
        await flush()
    }

    /// Removes the bytes of all variants in `group`, and returns when they are deleted.
    public func removeAll(in group: String) async {
        let old = state.withLock { state in
            enqueue { $0.add(-$0.folder.removeAll(in: group)) }
            return state.stores.removeAll(in: group)
        }
        _ = consume old
        await flush()
    }

    /// Removes the bytes of all variants in the groups that match, and returns when they are deleted.
    /// - Returns: The number of removed entries.
    /// - Complexity: Opens every file of the cache for its group.
    package func removeAll(ofGroups matches: @escaping @Sendable (_ group: String) -> Bool) async -> Int {
        await withCheckedContinuation { continuation in
            let old = state.withLock { state in
                let old = state.stores.removeAll(ofGroups: matches)
                let count = old.count
                enqueue { cache in
                    let removed = cache.folder.removeAll(ofGroups: matches)
                    cache.add(-removed.cost)
                    continuation.resume(returning: removed.count + count)
                }
                return old
            }
            _ = consume old
        }
    }

    /// Removes all entries, and returns when they are deleted.
    public func removeAll() async {
        let old = state.withLock { state in
            enqueue { $0.removeFiles() }
            return state.stores.removeAll(in: nil)
        }
        _ = consume old
        await flush()
    }

    /// Returns when every entry stored so far has been written.
    public func flush() async {
        await withCheckedContinuation { continuation in
            enqueue { _ in continuation.resume() }
        }
    }

    /// Adds a job to the writer's queue. Callers that also change the pending stores do both under the lock, so that
    /// jobs and changes have the same order.
    func enqueue(_ job: @escaping @Sendable (DataCache) -> Void) {
        writer.async {
            job(self)
            self.wake()
        }
    }
}

/// A summary of a cache's folder.
public struct DataCacheStatistics: Hashable, Sendable {
    /// The count and size of a group of entries.
    public struct Share: Hashable, Sendable {
        /// The number of entries.
        public var entryCount = 0
        /// The total length of their files, in bytes.
        public var byteCount = 0
    }

    /// All entries.
    public var all = Share()
    /// The entries by media type, as given by their servers; the empty string for those without one.
    public var mediaTypes: [String: Share] = [:]
    /// The number of images that the entries are variants of.
    public var groupCount = 0
    /// The space that the entries take on disk and of the cache's limit, in bytes.
    public var byteCountOnDisk = 0
    /// The limit of the cache that last used the folder, in bytes; nil if unknown.
    public var byteLimit: Int?
    /// When the oldest entry was stored or last confirmed, in seconds since 1970; nil without entries.
    public var oldest: Int64?
    /// When the newest entry was stored or last confirmed, in seconds since 1970; nil without entries.
    public var newest: Int64?
    /// The number of files with a damaged header, which aren't counted above. Cached bytes aren't checked.
    public var damagedCount = 0
}
