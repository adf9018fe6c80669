package import Dispatch
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
    /// How much the entries may take together, in bytes.
    public let byteLimit: Int
    /// How long an entry is kept since it was stored, or last confirmed by its server; nil for ever.
    public let maximumAge: Duration?
    package let folder: DataCacheFolder

    struct State {
        /// Entries that aren't written yet, and what is to be done, in this order.
        var stores = PendingStores()
        var jobs: ArraySlice<Job> = [.open]
        /// Whether the writer is at work.
        var isRunning = true
        /// Who waits until there is room for more that isn't written yet.
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// What the files took when they were last counted, and what has been written since.
        var byteCount = 0
        var writtenByteCount = 0
        var countedAt = FileTime.now
        var failureCount = 0
        var lastError: ImageError?
    }

    /// What the writer has to do.
    enum Job {
        case open
        case write(DataCacheKey, PendingStores.Number)
        case update(CacheFreshness, DataCacheKey)
        case remove(DataCacheKey)
        case removeGroup(String)
        case removeAll
        /// A file that was found damaged or too old.
        case discard(DataCacheFileStatus)
        /// Says that all before it is done.
        case signal(CheckedContinuation<Void, Never>)
    }

    let state = Mutex(State())
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
        self.byteLimit = max(0, byteLimit)
        self.maximumAge = maximumAge
        writer.async { self.work() }
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
            enqueue(.discard(file))
        case .damaged(let file): enqueue(.discard(file))
        case .nothing: break
        }
        return nil
    }
}
