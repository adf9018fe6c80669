internal import Essentials
internal import ImageFormats
internal import Platform
internal import Raster

/// A cache's files, and what is done to them, by threads that may wait.
///
/// Each entry is a file of its own that says all about itself; there is no list of them that could be wrong. Everything
/// here may be done by several threads and processes at once.
package struct DataCacheFolder: Sendable {
    /// Where it is.
    package let path: String

    enum Found {
        case entry(DataCacheEntry, DataCacheFileStatus)
        /// Nothing, or another key's entry.
        case nothing
        case damaged(DataCacheFileStatus)
    }

    /// The folder at `path`, whether it is there or not.
    package init(path: String) {
        // Zero bytes end paths of the system's, which would then be another. There is nothing in this one.
        guard !path.utf8.contains(0) else {
            self.path = "/dev/null/\(DataCacheFileName.folderName(0))"
            return
        }
        // Programs may change their folder, but not this one.
        if !path.hasPrefix("/"), let current = getcwd(nil, 0) {
            defer { free(current) }
            self.path = String(cString: current) + "/" + path
        } else {
            self.path = path
        }
    }

    /// The path of `key`'s file.
    package func path(of key: DataCacheKey) -> String { path(of: DataCacheFileName(key)) }

    func path(of folder: UInt8) -> String { "\(path)/\(DataCacheFileName.folderName(folder))" }

    func path(of name: DataCacheFileName) -> String { "\(path(of: name.folder))/\(name.text)" }

    /// Looks for the entry under `key`, and notes that it was used.
    /// - Parameter withData: Whether its bytes are wanted, too, or only what is known of them.
    func find(_ key: DataCacheKey, withData: Bool) -> Found {
        let name = DataCacheFileName(key)
        guard let file = DataCacheFile(path: path(of: name), name: name) else { return .nothing }
        do throws(DataCacheDamage) {
            let (header, bytes) = try file.header()
            let (found, metadata) = try header.description(bytes)
            guard Self.areEqual(found, key) else { return .nothing }
            let data = withData ? try file.payload(header) : Data()
            let now = FileTime.now
            // Once a minute says as much as each time.
            if now.seconds(since: file.status.accessTime) >= 60 { file.setAccessTime(now) }
            return .entry(DataCacheEntry(data: data, metadata: metadata), file.status)
        } catch {
            return .damaged(file.status)
        }
    }

    /// Whether the keys are the same byte by byte: equal strings may differ there.
    static func areEqual(_ a: DataCacheKey, _ b: DataCacheKey) -> Bool {
        a.variant == b.variant && a.group.utf8.elementsEqual(b.group.utf8)
    }

    /// Writes the file of an entry in place of what was there. It appears whole or not at all.
    /// - Parameter header: What stands before the bytes.
    /// - Returns: How much more it takes than what it replaced.
    func write(_ header: [UInt8], _ data: Data, as name: DataCacheFileName) throws(ImageError) -> Int {
        var old = 0
        if let status = FileStatus(path: path(of: name), followsLinks: false) {
            // A link would be followed, and a pipe waited for.
            guard status.isRegular else {
                throw ImageError(.inputOutput, "\(path(of: name)) can't be written: it is no file of the cache's")
            }
            old = DataCacheFileStatus(name: name, status).cost
        }
        do throws(ImageError) {
            try writeOnce(header, data, as: name)
        } catch {
            guard !Self.isFolder(path(of: name.folder)), Self.makeFolder(path(of: name.folder)) else { throw error }
            try writeOnce(header, data, as: name)
        }
        return DataCacheFileStatus.cost(header.count + data.count) - old
    }

    private func writeOnce(_ header: [UInt8], _ data: Data, as name: DataCacheFileName) throws(ImageError) {
        let file = try AtomicFile(path: path(of: name), overwrites: true)
        try file.write(header)
        try file.write(data.bytes)
        // Entries that are stored within one tick of the system's clock have an order too.
        FileTime.now.setAccessTime(of: file.fileNumber)
        try file.commit()
    }

    func hasRoom(for byteCount: Int) -> Bool {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return true }
        // Some file systems don't count their files.
        guard status.f_files == 0 || status.f_favail > 0 else { return false }
        return UInt64(status.f_bavail) > UInt64(max(0, byteCount)) / UInt64(max(1, status.f_frsize)) + 1
    }

    /// Writes `freshness` into the entry under `key`, and leaves the rest of the file as it is.
    func update(_ freshness: CacheFreshness, for key: DataCacheKey) {
        let name = DataCacheFileName(key)
        guard let file = DataCacheFile(path: path(of: name), name: name, isWritable: true),
            let (header, bytes) = try? file.header(), let found = try? header.description(bytes),
            Self.areEqual(found.key, key), let slot = header.nextSlot(freshness, bytes)
        else { return }
        // If it can't be written, the other slot still counts.
        try? file.write(slot.bytes, at: slot.offset)
    }

    func status(of name: DataCacheFileName) -> DataCacheFileStatus? {
        guard let status = FileStatus(path: path(of: name), followsLinks: false), status.isRegular else { return nil }
        return DataCacheFileStatus(name: name, status)
    }

    /// Removes the file of an entry; with `status`, only if it is the file that this was told of.
    /// - Returns: How much it took; 0 where it was gone already.
    @discardableResult
    func remove(_ name: DataCacheFileName, ifStill status: DataCacheFileStatus? = nil) -> Int {
        guard let current = self.status(of: name), status?.isSame(as: current) ?? true else { return 0 }
        return unlink(path(of: name)) == 0 ? current.cost : 0
    }

    static func isFolder(_ path: String) -> Bool { FileStatus(path: path)?.isFolder ?? false }

    /// Makes the folder at `path` and those that it lies in, and says whether it is there.
    @discardableResult
    static func makeFolder(_ path: String) -> Bool {
        if mkdir(path, 0o777) == 0 { return true }
        switch errno {
        case EEXIST: return isFolder(path)
        case ENOENT:
            guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex,
                makeFolder(String(path[..<slash]))
            else { return false }
            return mkdir(path, 0o777) == 0 || errno == EEXIST && isFolder(path)
        default: return false
        }
    }
}
