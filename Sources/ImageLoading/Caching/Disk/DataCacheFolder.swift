internal import Essentials
internal import ImageFormats
internal import Platform
internal import Raster

/// The files of a cache, and the blocking operations on them.
///
/// Each entry is a self-contained file; there is no index to get out of step. All operations may run in several threads
/// and processes at once.
package struct DataCacheFolder: Sendable {
    /// The absolute path of the folder.
    package let path: String

    enum Found {
        case entry(DataCacheEntry, DataCacheFileStatus)
        /// No entry, or another key's.
        case nothing
        case damaged(DataCacheFileStatus)
    }

    /// The folder at `path`, which doesn't need to exist.
    package init(path: String) {
        // A zero byte would truncate the path to another one; this path never exists, so the cache stays empty.
        guard !path.utf8.contains(0) else {
            self.path = "/dev/null/\(DataCacheFileName.folderName(0))"
            return
        }
        // The program may change its working directory, but the cache stays where it is.
        if !path.hasPrefix("/"), let current = getcwd(nil, 0) {
            defer { free(current) }
            self.path = String(cString: current) + "/" + path
        } else {
            self.path = path
        }
    }

    package func path(of key: DataCacheKey) -> String { path(of: DataCacheFileName(key)) }

    func path(of folder: UInt8) -> String { "\(path)/\(DataCacheFileName.folderName(folder))" }

    func path(of name: DataCacheFileName) -> String { "\(path(of: name.folder))/\(name.text)" }

    /// Looks up the entry under `key`, and updates its access time.
    /// - Parameter withData: Whether to read the cached bytes; otherwise the entry has no data.
    func find(_ key: DataCacheKey, withData: Bool) -> Found {
        let name = DataCacheFileName(key)
        guard let file = DataCacheFile(path: path(of: name), name: name) else { return .nothing }
        do throws(DataCacheDamage) {
            let (header, bytes) = try file.header()
            let (found, metadata) = try header.description(bytes)
            guard Self.areEqual(found, key) else { return .nothing }
            let data = withData ? try file.payload(header) : Data()
            let now = FileTime.now
            // Updating once a minute is precise enough.
            if now.seconds(since: file.status.accessTime) >= 60 { file.setAccessTime(now) }
            return .entry(DataCacheEntry(data: data, metadata: metadata), file.status)
        } catch {
            return .damaged(file.status)
        }
    }

    /// Whether the keys are equal byte by byte; equal strings may have different bytes.
    static func areEqual(_ a: DataCacheKey, _ b: DataCacheKey) -> Bool {
        a.variant == b.variant && a.group.utf8.elementsEqual(b.group.utf8)
    }

    /// Writes an entry's file atomically, in place of the previous one.
    /// - Parameter header: The bytes that precede the data.
    /// - Returns: The change in the space used on disk.
    func write(_ header: [UInt8], _ data: Data, as name: DataCacheFileName) throws(ImageError) -> Int {
        var old = 0
        if let status = FileStatus(path: path(of: name), followsLinks: false) {
            // Only a regular file may be replaced, not a link or a pipe.
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
        // Gives an order to entries that are stored within one tick of the system's clock.
        FileTime.now.setAccessTime(of: file.fileNumber)
        try file.commit()
    }

    func hasRoom(for byteCount: Int) -> Bool {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return true }
        // Some file systems have no limited number of files, and report 0.
        guard status.f_files == 0 || status.f_favail > 0 else { return false }
        return UInt64(status.f_bavail) > UInt64(max(0, byteCount)) / UInt64(max(1, status.f_frsize)) + 1
    }

    /// Overwrites the freshness of the entry under `key`, and leaves the rest of the file unchanged.
    func update(_ freshness: CacheFreshness, for key: DataCacheKey) {
        let name = DataCacheFileName(key)
        guard let file = DataCacheFile(path: path(of: name), name: name, isWritable: true),
            let (header, bytes) = try? file.header(), let found = try? header.description(bytes),
            Self.areEqual(found.key, key), let slot = header.nextSlot(freshness, bytes)
        else { return }
        // If the write fails, the other slot stays valid.
        try? file.write(slot.bytes, at: slot.offset)
    }

    func status(of name: DataCacheFileName) -> DataCacheFileStatus? {
        guard let status = FileStatus(path: path(of: name), followsLinks: false), status.isRegular else { return nil }
        return DataCacheFileStatus(name: name, status)
    }

    /// Removes an entry's file; with `status`, only if it is still that file.
    /// - Returns: The space that it took; 0 if it was already gone.
    @discardableResult
    func remove(_ name: DataCacheFileName, ifStill status: DataCacheFileStatus? = nil) -> Int {
        guard let current = self.status(of: name), status?.isSame(as: current) ?? true else { return 0 }
        return unlink(path(of: name)) == 0 ? current.cost : 0
    }

    static func isFolder(_ path: String) -> Bool { FileStatus(path: path)?.isFolder ?? false }

    /// Creates the folder at `path` and its parents, and returns whether it exists.
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
