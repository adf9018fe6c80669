internal import Platform

extension DataCacheFolder {
    /// Whether the folder has the tag that caches write.
    package var isCache: Bool { CacheDirectoryTag(in: path) != nil }

    /// Counts the folder's entries. Opens every file, but reads no cached bytes.
    package func statistics() -> DataCacheStatistics {
        var statistics = DataCacheStatistics()
        statistics.byteLimit = CacheDirectoryTag(in: path)?.byteLimit
        var groups: Set<StableHash> = []
        for status in files() {
            guard let file = DataCacheFile(path: path(of: status.name), name: status.name) else { continue }
            // Counting doesn't count as use.
            defer { file.setAccessTime(status.accessTime) }
            guard let (header, bytes) = try? file.header(), let (key, metadata) = try? header.description(bytes) else {
                statistics.damagedCount += 1
                continue
            }
            let seconds = status.modificationTime.seconds
            statistics.all.add(status.byteCount)
            statistics.mediaTypes[metadata.mimeType ?? "", default: .init()].add(status.byteCount)
            statistics.byteCountOnDisk += status.cost
            statistics.oldest = min(statistics.oldest ?? seconds, seconds)
            statistics.newest = max(statistics.newest ?? seconds, seconds)
            groups.insert(StableHash(key.group.utf8))
        }
        statistics.groupCount = groups.count
        return statistics
    }

    /// Checks the checksums of every entry.
    /// - Parameters:
    ///   - removesDamaged: Whether damaged files are removed.
    ///   - report: Called with the path of each damaged file, and its defect.
    /// - Returns: The number of whole and of damaged files.
    package func verify(
        removesDamaged: Bool, report: (_ path: String, DataCacheDamage) -> Void
    ) -> (whole: Int, damaged: Int) {
        var (whole, damaged) = (0, 0)
        for status in files() {
            let path = path(of: status.name)
            // The file may have been removed since it was listed.
            guard let file = DataCacheFile(path: path, name: status.name) else { continue }
            do throws(DataCacheDamage) {
                try Self.check(file)
                whole += 1
            } catch {
                damaged += 1
                report(path, error)
                if removesDamaged { remove(status.name, ifStill: status) }
            }
            // Checking doesn't count as use.
            file.setAccessTime(status.accessTime)
        }
        return (whole, damaged)
    }

    private static func check(_ file: borrowing DataCacheFile) throws(DataCacheDamage) {
        let (header, bytes) = try file.header()
        let key = try header.description(bytes).key
        guard DataCacheFileName(key) == file.status.name else {
            throw DataCacheDamage(offset: DataCacheHeader.fixedByteCount, message: "its key has another file's name")
        }
        try file.checkPayload(header)
    }

    /// Removes the entries of the groups that match, and damaged ones, whose group isn't known.
    /// - Returns: The number of removed entries, and the space that they took on disk.
    func removeAll(ofGroups matches: (String) -> Bool) -> (count: Int, cost: Int) {
        var removed = (count: 0, cost: 0)
        for status in files() {
            guard let file = DataCacheFile(path: path(of: status.name), name: status.name) else { continue }
            // Looking doesn't count as use.
            defer { file.setAccessTime(status.accessTime) }
            if let (header, bytes) = try? file.header(), let (key, _) = try? header.description(bytes),
                !matches(key.group)
            {
                continue
            }
            let cost = remove(status.name, ifStill: status)
            if cost > 0 { removed = (removed.count + 1, removed.cost + cost) }
        }
        return removed
    }

    /// Removes entries.
    /// - Parameter age: The minimum age in seconds since they were stored or last confirmed; 0 removes all.
    /// - Returns: The number and size of the removed entries.
    package func clear(olderThan age: Int64) -> DataCacheStatistics.Share {
        var removed = DataCacheStatistics.Share()
        let now = FileTime.now
        for file in files() where age == 0 || now.seconds(since: file.modificationTime) >= age {
            if remove(file.name, ifStill: file) > 0 { removed.add(file.byteCount) }
        }
        return removed
    }
}

extension DataCacheStatistics.Share {
    fileprivate mutating func add(_ byteCount: Int) {
        entryCount += 1
        self.byteCount += byteCount
    }
}
