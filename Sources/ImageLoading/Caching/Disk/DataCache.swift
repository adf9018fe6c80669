package import Dispatch
internal import Platform
public import Raster
internal import Synchronization

/// A cache for bytes in a folder, a file for each entry.
///
/// ```swift
/// let cache = DataCache(directory: "/var/cache/gallery", byteLimit: 1 << 30, maximumAge: .seconds(7 * 86_400))
/// ```
///
/// An entry is there whole or not at all, whenever the process is killed or the power fails: it is written beside its
/// place and checked when it is read. Several processes may use one folder. What can't be written, as the disk is full
/// or the folder may not be written to, is not kept (`lastError` says why); what is damaged is taken away.
///
/// When the limit is crossed those entries go that were used longest ago. The limit counts blocks of 4 KiB, as file
/// systems do. Every call leaves the disk to threads of the cache's own.
public final class DataCache: DataCaching {
    /// How long an entry is kept since it was stored, or last confirmed by its server; nil for ever.
    public let maximumAge: Duration?
    package let folder: DataCacheFolder

    struct State {
        var stores = PendingStores()
        /// Who waits until there is room for more that isn't written yet.
        var waiting: [CheckedContinuation<Void, Never>] = []
        var byteLimit: Int
        /// What the files took when they were last counted, and what has been written since.
        var byteCount = 0
        var writtenByteCount = 0
        var countedAt = FileTime.now
        var failureCount = 0
        var lastError: ImageError?
    }

    let state: Mutex<State>
    /// Where files are written, a job at a time.
    package let writer = DispatchQueue(label: "tessera.data-cache")
    /// Where files are read. Disks serve several readers at a time better than one.
    private static let readers = ImageExecutor(width: 4)

    /// How much may wait in memory to be written.
    static let pendingByteLimit = 32 << 20
    /// After how many seconds the files are counted again, and old ones removed.
    static let countingSeconds: Int64 = 3600

    /// A cache in the folder at `directory`, which is made when it is needed.
    /// - Parameters:
    ///   - byteLimit: How much the entries may take together, in bytes.
    ///   - maximumAge: How long an entry is kept since it was stored, or last confirmed by its server; nil for ever.
    public init(directory: String, byteLimit: Int = 150 << 20, maximumAge: Duration? = nil) {
        folder = DataCacheFolder(path: directory)
        state = Mutex(State(byteLimit: max(0, byteLimit)))
        self.maximumAge = maximumAge
        enqueue { $0.open() }
    }

    /// How much the entries may take together, in bytes. A lower limit takes effect at once, by the cache's own thread.
    public var byteLimit: Int {
        get { state.withLock { $0.byteLimit } }
        set {
            state.withLock { $0.byteLimit = max(0, newValue) }
            enqueue { $0.open() }
        }
    }

    /// Where the files are.
    public var directory: String { folder.path }

    /// How many entries couldn't be kept.
    public var failureCount: Int { state.withLock { $0.failureCount } }

    /// Why the last entry that couldn't be kept wasn't; nil as long as all were.
    public var lastError: ImageError? { state.withLock { $0.lastError } }

    /// How many wait for room to store.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// What is in the folder, as it is now. Looks at every file.
    public func statistics() async -> DataCacheStatistics {
        await withTaskExecutorPreference(Self.readers) { folder.statistics() }
    }

    /// The bytes under `key`; nil where there are none, or damaged or old ones.
    public func entry(for key: DataCacheKey) async -> DataCacheEntry? {
        if let entry = state.withLock({ $0.stores.entry(key) }) { return entry }
        return await withTaskExecutorPreference(Self.readers) { read(key, withData: true) }
    }

    /// What is known of the bytes under `key`, without reading them.
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
    /// Keeps `entry` under `key`. It can be had at once, also while it is being written.
    ///
    /// Waits only where much is still to be written.
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

    /// Says that the server has confirmed the bytes under `key`. They stay as they are.
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

    /// Removes the bytes under `key`, and returns when they are gone.
    public func remove(for key: DataCacheKey) async {
        let old = state.withLock { state in
            enqueue { $0.add(-$0.folder.remove(DataCacheFileName(key))) }
            return state.stores.remove(key)
        }
        _ = consume old
        await flush()
    }

    /// Removes the bytes of all variants in `group`, and returns when they are gone.
    public func removeAll(in group: String) async {
        let old = state.withLock { state in
            enqueue { $0.add(-$0.folder.removeAll(in: group)) }
            return state.stores.removeAll(in: group)
        }
        _ = consume old
        await flush()
    }

    /// Removes everything, and returns when it is gone.
    public func removeAll() async {
        let old = state.withLock { state in
            enqueue { $0.removeFiles() }
            return state.stores.removeAll(in: nil)
        }
        _ = consume old
        await flush()
    }

    /// Returns when what was given to the cache is on disk.
    public func flush() async {
        await withCheckedContinuation { continuation in
            enqueue { _ in continuation.resume() }
        }
    }

    /// Has the writer do `job` when it has done what it was given before. Where what is kept changes as well, both are done
    /// under the lock, so that they come in one order.
    func enqueue(_ job: @escaping @Sendable (DataCache) -> Void) {
        writer.async {
            job(self)
            self.wake()
        }
    }
}

/// What is in a cache's folder.
public struct DataCacheStatistics: Hashable, Sendable {
    /// Some of the entries.
    public struct Share: Hashable, Sendable {
        /// How many there are.
        public var entryCount = 0
        /// How many bytes their files have.
        public var byteCount = 0
    }

    /// All of them.
    public var all = Share()
    /// Those of each media type, as their servers said it; the empty text for those of none.
    public var mediaTypes: [String: Share] = [:]
    /// How many pictures they are variants of.
    public var groupCount = 0
    /// What they take of the disk and of the cache's limit, in bytes.
    public var byteCountOnDisk = 0
    /// The limit of the cache that last used the folder, in bytes; nil where it isn't known.
    public var byteLimit: Int?
    /// When the oldest entry was stored or last confirmed, in seconds since 1970; nil without entries.
    public var oldest: Int64?
    /// When the newest entry was stored or last confirmed, likewise.
    public var newest: Int64?
    /// How many files are damaged, so far as can be told without reading all of them. They aren't counted above.
    public var damagedCount = 0
}
