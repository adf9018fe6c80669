internal import Essentials
internal import Platform
internal import Raster
internal import Synchronization

extension DataCache {
    // What the writer does runs on its queue, a job at a time.

    /// Lets those go on who wait for room, if there is some.
    func wake() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard state.stores.cost <= Self.pendingByteLimit else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Makes the folder, and keeps it within the limit.
    func open() {
        DataCacheFolder.makeFolder(folder.path)
        CacheDirectoryTag(byteLimit: byteLimit).write(in: folder.path)
        trim(to: byteLimit)
    }

    /// Writes the entry of that number, unless another has taken its place.
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

    /// Removes a file that was found damaged or too old.
    func discard(_ file: DataCacheFileStatus) { add(-folder.remove(file.name, ifStill: file)) }

    /// Writes an entry. Where that can't be done, what was there before goes, too, being out of date.
    private func write(_ entry: DataCacheEntry, _ key: DataCacheKey) {
        let name = DataCacheFileName(key)
        do throws(ImageError) {
            guard let header = DataCacheHeader.encode(entry, key: key) else {
                throw ImageError(.limitExceeded, "what is known of \(key.group) is too long to be cached")
            }
            let byteCount = header.count + entry.data.count
            let byteLimit = byteLimit
            guard DataCacheFileStatus.cost(byteCount) <= byteLimit else {
                throw ImageError(
                    .limitExceeded,
                    "\(key.group) has \(entry.data.count) bytes, more than a cache of \(byteLimit) holds")
            }
            let added: Int
            do throws(ImageError) {
                added = try folder.write(header, entry.data, as: name)
            } catch {
                guard !folder.hasRoom(for: byteCount) else { throw error }
                // The disk is full. Once, older entries make room.
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

    /// Counts the files where what is known of them may be wrong, as other processes write and remove, too, and trims.
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

/// What was given to a cache and isn't on disk yet.
struct PendingStores {
    /// What tells a store from earlier and later ones under the same key.
    typealias Number = UInt64

    private var stores: [DataCacheKey: (number: Number, entry: DataCacheEntry)] = [:]
    private var lastNumber: Number = 0
    private(set) var cost = 0

    /// Takes an entry in place of the one under its key.
    /// - Returns: Its number, and what was there, to be let go where nobody waits.
    mutating func insert(_ entry: DataCacheEntry, _ key: DataCacheKey) -> (number: Number, old: DataCacheEntry?) {
        lastNumber += 1
        cost += Self.cost(entry)
        let old = stores.updateValue((lastNumber, entry), forKey: key)
        if let old { cost -= Self.cost(old.entry) }
        return (lastNumber, old?.entry)
    }

    func entry(_ key: DataCacheKey) -> DataCacheEntry? { stores[key]?.entry }

    /// The entry under `key` if it is still the one of that number.
    func entry(_ key: DataCacheKey, _ number: Number) -> DataCacheEntry? {
        stores[key].flatMap { $0.number == number ? $0.entry : nil }
    }

    /// Removes the entry under `key`.
    /// - Parameter number: The number that it must still have; nil for whatever it has.
    /// - Returns: It, to be let go where nobody waits.
    @discardableResult
    mutating func remove(_ key: DataCacheKey, _ number: Number? = nil) -> DataCacheEntry? {
        guard let store = stores[key], number == nil || store.number == number else { return nil }
        stores[key] = nil
        cost -= Self.cost(store.entry)
        return store.entry
    }

    /// Removes the entries of `group`; nil stands for all groups.
    /// - Returns: Them, to be let go where nobody waits.
    mutating func removeAll(in group: String?) -> [DataCacheEntry] {
        stores.keys.filter { group == nil || $0.group == group }.compactMap { remove($0) }
    }

    /// As on disk, so that small ones aren't taken for nothing.
    private static func cost(_ entry: DataCacheEntry) -> Int { DataCacheFileStatus.cost(max(1, entry.data.count)) }
}
