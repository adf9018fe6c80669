internal import Essentials
internal import Platform
internal import Raster
internal import Synchronization

extension DataCache {
    // These methods run on the writer's queue, one job at a time.

    /// Resumes the tasks that wait in `store(_:for:)` if the pending entries are within the limit.
    func wake() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard state.stores.cost <= Self.pendingByteLimit else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Creates the folder and its tag, and trims it to the limit.
    func open() {
        DataCacheFolder.makeFolder(folder.path)
        CacheDirectoryTag(byteLimit: byteLimit).write(in: folder.path)
        trim(to: byteLimit)
    }

    /// Writes the pending entry with the given number, unless a later one has replaced it.
    func write(_ key: DataCacheKey, _ number: PendingStores.Number) {
        guard let entry = state.withLock({ $0.stores.entry(key, number) }) else { return }
        write(entry, key)
        let written = state.withLock { $0.stores.remove(key, number) }
        _ = consume written
        countAgainIfDue()
    }

    func removeFiles() {
        for file in folder.files() { folder.remove(file.name) }
        trim(to: byteLimit)
    }

    /// Removes a damaged or expired file.
    func discard(_ file: DataCacheFileStatus) { add(-folder.remove(file.name, ifStill: file)) }

    /// Writes an entry. On failure, removes the previous file under the same key, which is out of date.
    private func write(_ entry: DataCacheEntry, _ key: DataCacheKey) {
        let name = DataCacheFileName(key)
        do throws(ImageError) {
            guard let header = DataCacheHeader.encode(entry, key: key) else {
                throw ImageError(.limitExceeded, "the metadata of \(key.group) are too long for the cache")
            }
            let byteCount = header.count + entry.data.count
            let byteLimit = byteLimit
            guard DataCacheFileStatus.cost(byteCount) <= byteLimit else {
                throw ImageError(
                    .limitExceeded,
                    "\(key.group) has \(entry.data.count) bytes; the limit of the cache is \(byteLimit)")
            }
            let added: Int
            do throws(ImageError) {
                added = try folder.write(header, entry.data, as: name)
            } catch {
                guard !folder.hasRoom(for: byteCount) else { throw error }
                // The disk is full: makes room by removing older entries, and tries again.
                let held = trim(to: byteLimit)
                trim(to: max(0, held - max(2 * DataCacheFileStatus.cost(byteCount), held / 10)))
                added = try folder.write(header, entry.data, as: name)
            }
            add(added, written: byteCount)
        } catch {
            add(-folder.remove(name))
            state.withLock { state in
                state.failureCount += 1
                state.lastError = error
            }
        }
    }

    func add(_ cost: Int, written: Int = 0) {
        state.withLock { state in
            state.byteCount += cost
            state.writtenByteCount += written
        }
    }

    /// Recounts the files and trims them if the count may be wrong: other processes write and remove files, too.
    private func countAgainIfDue() {
        let isDue = state.withLock { state in
            state.byteCount > state.byteLimit || state.writtenByteCount > state.byteLimit / 8
                || FileTime.now.seconds(since: state.countedAt) > Self.countingSeconds
        }
        if isDue { trim(to: byteLimit) }
    }

    @discardableResult
    private func trim(to limit: Int) -> Int {
        let total = folder.trim(to: limit, maximumAge: maximumAge?.components.seconds)
        state.withLock { state in
            state.byteCount = total
            state.writtenByteCount = 0
            state.countedAt = .now
        }
        return total
    }
}

/// The entries that were stored but aren't on disk yet.
struct PendingStores {
    /// Distinguishes a store from earlier and later ones under the same key.
    typealias Number = UInt64

    private var stores: [DataCacheKey: (number: Number, entry: DataCacheEntry)] = [:]
    private var lastNumber: Number = 0
    private(set) var cost = 0

    /// Inserts an entry in place of the one under its key.
    /// - Returns: The entry's number, and the old entry, which the caller releases outside the lock.
    mutating func insert(_ entry: DataCacheEntry, _ key: DataCacheKey) -> (number: Number, old: DataCacheEntry?) {
        lastNumber += 1
        cost += Self.cost(entry)
        let old = stores.updateValue((lastNumber, entry), forKey: key)
        if let old { cost -= Self.cost(old.entry) }
        return (lastNumber, old?.entry)
    }

    func entry(_ key: DataCacheKey) -> DataCacheEntry? { stores[key]?.entry }

    /// The entry under `key` if it still has the given number.
    func entry(_ key: DataCacheKey, _ number: Number) -> DataCacheEntry? {
        stores[key].flatMap { $0.number == number ? $0.entry : nil }
    }

    /// Removes the entry under `key`.
    /// - Parameter number: The number that the entry must still have; nil for any.
    /// - Returns: The removed entry, which the caller releases outside the lock.
    @discardableResult
    mutating func remove(_ key: DataCacheKey, _ number: Number? = nil) -> DataCacheEntry? {
        guard let store = stores[key], number == nil || store.number == number else { return nil }
        stores[key] = nil
        cost -= Self.cost(store.entry)
        return store.entry
    }

    /// Removes the entries of `group`, or of all groups if it is nil.
    /// - Returns: The removed entries, which the caller releases outside the lock.
    mutating func removeAll(in group: String?) -> [DataCacheEntry] {
        stores.keys.filter { group == nil || $0.group == group }.compactMap { remove($0) }
    }

    /// Removes the entries of the groups that match.
    mutating func removeAll(ofGroups matches: (String) -> Bool) -> [DataCacheEntry] {
        stores.keys.filter { matches($0.group) }.compactMap { remove($0) }
    }

    /// The cost on disk, at least one block, so that small entries aren't free.
    private static func cost(_ entry: DataCacheEntry) -> Int { DataCacheFileStatus.cost(max(1, entry.data.count)) }
}
