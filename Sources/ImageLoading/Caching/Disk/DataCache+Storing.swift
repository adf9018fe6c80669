internal import Dispatch
internal import Synchronization

extension DataCache {
    /// Keeps `entry` under `key`. It can be had at once, also while it is being written.
    ///
    /// Waits only where much is still to be written.
    public func store(_ entry: DataCacheEntry, for key: DataCacheKey) async {
        let (old, isTooMuch) = state.withLock { state in
            let (number, old) = state.stores.insert(entry, key)
            state.jobs.append(.write(key, number))
            return (old, state.stores.cost > Self.pendingByteLimit)
        }
        _ = consume old
        run()
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
                state.jobs.append(.update(freshness, key))
                return nil
            }
            entry.metadata.freshness = freshness
            let (number, old) = state.stores.insert(entry, key)
            state.jobs.append(.write(key, number))
            return old
        }
        if old == nil { await flush() } else { run() }
    }

    /// Removes the bytes under `key`, and returns when they are gone.
    public func remove(for key: DataCacheKey) async {
        let old = state.withLock { state in
            state.jobs.append(.remove(key))
            return state.stores.remove(key)
        }
        _ = consume old
        await flush()
    }

    /// Removes the bytes of all variants in `group`, and returns when they are gone.
    public func removeAll(in group: String) async {
        let old = state.withLock { state in
            state.jobs.append(.removeGroup(group))
            return state.stores.removeAll(in: group)
        }
        _ = consume old
        await flush()
    }

    /// Removes everything, and returns when it is gone.
    public func removeAll() async {
        let old = state.withLock { state in
            state.jobs.append(.removeAll)
            return state.stores.removeAll(in: nil)
        }
        _ = consume old
        await flush()
    }

    /// Returns when what was given to the cache is on disk.
    public func flush() async {
        await withCheckedContinuation { enqueue(.signal($0)) }
    }

    func enqueue(_ job: Job) {
        state.withLock { $0.jobs.append(job) }
        run()
    }

    private func run() {
        let starts = state.withLock { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { writer.async { self.work() } }
    }
}
