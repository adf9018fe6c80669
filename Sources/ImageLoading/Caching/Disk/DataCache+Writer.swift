internal import Raster
internal import Synchronization

extension DataCache {
    /// Does what there is to do. Runs on `writer`.
    func work() {
        while true {
            let next = state.withLock { state in
                let job = state.jobs.popFirst()
                if job == nil {
                    state.jobs = []
                    state.isRunning = false
                }
                return job
            }
            guard let next else { return }
            perform(next)
            wake()
        }
    }

    /// Lets those go on who wait for room, if there is some.
    private func wake() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard state.stores.cost <= Self.pendingByteLimit else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    private func perform(_ job: Job) {
        switch job {
        case .open:
            DataCacheFolder.makeFolder(folder.path)
            CacheDirectoryTag(byteLimit: byteLimit).write(in: folder.path)
            trim(to: byteLimit)
        case .write(let key, let number):
            guard let entry = state.withLock({ $0.stores.entry(key, number) }) else { return }
            write(entry, key)
            let written = state.withLock { $0.stores.remove(key, number) }
            _ = consume written
            countAgainIfDue()
        case .update(let freshness, let key): folder.update(freshness, for: key)
        case .remove(let key): add(-folder.remove(DataCacheFileName(key)))
        case .removeGroup(let group): add(-folder.removeAll(in: group))
        case .removeAll:
            for file in folder.files() { folder.remove(file.name) }
            trim(to: byteLimit)
        case .discard(let file): add(-folder.remove(file))
        case .signal(let continuation): continuation.resume()
        }
    }

    /// Writes an entry. Where that can't be done, what was there before goes, too, being out of date.
    private func write(_ entry: DataCacheEntry, _ key: DataCacheKey) {
        let name = DataCacheFileName(key)
        do throws(ImageError) {
            guard let header = DataCacheHeader.encode(entry, key: key) else {
                throw ImageError(.limitExceeded, "what is known of \(key.group) is too long to be cached")
            }
            let byteCount = header.count + entry.data.count
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

    private func add(_ cost: Int, written: Int = 0) {
        state.withLock { state in
            state.byteCount += cost
            state.writtenByteCount += written
        }
    }

    /// Counts the files where what is known of them may be wrong, as other processes write and remove, too, and trims.
    private func countAgainIfDue() {
        let isDue = state.withLock { state in
            state.byteCount > byteLimit || state.writtenByteCount > byteLimit / 8
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
