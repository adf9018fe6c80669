internal import Platform

extension DataCacheFolder {
    /// The beginning and the end of the names that `AtomicFile` gives to temporary files.
    private static let temporary = (prefix: Array(".tessera-".utf8), suffix: Array(".part".utf8))
    /// The age in seconds from which a temporary file counts as abandoned.
    private static let writingSeconds: Int64 = 3600

    /// Lists the files of all entries.
    ///
    /// Also removes abandoned temporary files, left by processes that were killed.
    func files() -> [DataCacheFileStatus] {
        var files: [DataCacheFileStatus] = []
        let now = FileTime.now
        for folder in UInt8.min...UInt8.max {
            let path = path(of: folder)
            FolderListing.forEach(in: path) { listed in
                let name = listed.nameBytes
                if let entry = DataCacheFileName(name), entry.folder == folder {
                    guard let status = listed.status(), status.isRegular else { return }
                    files.append(DataCacheFileStatus(name: entry, status))
                } else if name.starts(with: Self.temporary.prefix), name.suffix(5).elementsEqual(Self.temporary.suffix),
                    let status = listed.status(), status.isRegular,
                    now.seconds(since: status.modificationTime) > Self.writingSeconds
                {
                    unlink("\(path)/\(String(decoding: name, as: UTF8.self))")
                }
            }
        }
        return files
    }

    /// The files of the entries in a group, and of other groups with the same hash, if any.
    private func files(inGroupOf name: DataCacheFileName) -> [DataCacheFileName] {
        var names: [DataCacheFileName] = []
        FolderListing.forEach(in: path(of: name.folder)) { listed in
            if let found = DataCacheFileName(listed.nameBytes), found.groupHigh == name.groupHigh,
                found.groupLow == name.groupLow
            {
                names.append(found)
            }
        }
        return names
    }

    /// Removes the entries of `group`.
    /// - Returns: The space that they took on disk.
    func removeAll(in group: String) -> Int {
        files(inGroupOf: DataCacheFileName(DataCacheKey(group: group))).reduce(0) { $0 + remove($1) }
    }

    /// Removes the entries older than `maximumAge` seconds, and then, if the rest exceeds `byteLimit`, the least
    /// recently used ones, down to 90 % of the limit so that it isn't exceeded again at once.
    /// - Returns: The space that the remaining entries take.
    func trim(to byteLimit: Int, maximumAge: Int64?) -> Int {
        let now = FileTime.now
        var (kept, total) = ([DataCacheFileStatus](), 0)
        for file in files() {
            if let maximumAge, now.seconds(since: file.modificationTime) > maximumAge {
                remove(file.name, ifStill: file)
            } else {
                kept.append(file)
                total += file.cost
            }
        }
        guard total > byteLimit else { return total }
        kept.sort { ($0.accessTime, $0.modificationTime) < ($1.accessTime, $1.modificationTime) }
        for (index, file) in kept.enumerated() where total > byteLimit - byteLimit / 10 {
            // The newest entry stays if it fits: it may be the one that the others made room for.
            if index == kept.count - 1, total <= byteLimit { break }
            remove(file.name, ifStill: file)
            total -= file.cost
        }
        return total
    }
}
