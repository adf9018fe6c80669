internal import ImageLoading
internal import Platform
internal import ImageFormats
internal import Tessera

/// Queries of the file system, and writing whole files.
enum FileSystem {
    /// Identifies a file on this machine independently of its path.
    struct Identity: Hashable {
        let device: UInt64
        let number: UInt64
    }

    /// Whether a folder is at `path`. Follows links.
    static func isFolder(_ path: String) -> Bool {
        BucketFiles.isAddress(path) ? BucketFiles.isFolder(path) : FileStatus(path: path)?.isFolder ?? false
    }

    /// Whether a regular file is at `path`, not a folder, pipe or device. Follows links.
    static func isRegularFile(_ path: String) -> Bool {
        guard !BucketFiles.isAddress(path) else {
            return !BucketFiles.isFolder(path) && (try? BucketFiles.status(path)) ?? nil != nil
        }
        return FileStatus(path: path)?.isRegular ?? false
    }

    /// Returns the identity of the file at `path`; nil if there is none.
    static func identity(_ path: String) -> Identity? {
        FileStatus(path: path).map { Identity(device: $0.device, number: $0.inode) }
    }

    /// Returns the length in bytes of the file at `path`; nil if there is none.
    static func byteCount(_ path: String) -> Int? {
        BucketFiles.isAddress(path)
            ? ((try? BucketFiles.status(path)) ?? nil)?.byteCount : FileStatus(path: path)?.byteCount
    }

    /// Returns the length and modification time of the regular file at `path` as text; nil if there is none.
    static func state(_ path: String) -> String? {
        if BucketFiles.isAddress(path) { return ((try? BucketFiles.status(path)) ?? nil)?.version }
        guard let status = FileStatus(path: path), status.isRegular else { return nil }
        return "\(status.byteCount) bytes of \(words(status.modificationTime))"
    }

    /// Whether the file at `path` was changed after the one at `other`; false if either is missing.
    static func isNewer(_ path: String, than other: String) -> Bool {
        guard let file = modificationTime(path), let other = modificationTime(other) else { return false }
        return file > other
    }

    private static func modificationTime(_ path: String) -> FileTime? {
        guard BucketFiles.isAddress(path) else { return FileStatus(path: path)?.modificationTime }
        return ((try? BucketFiles.status(path)) ?? nil).map { FileTime(seconds: $0.modificationTime) }
    }

    /// Formats a time as ISO 8601 in UTC: `2026-02-28T17:05:09.120000000Z`.
    private static func words(_ time: FileTime) -> String {
        let nanoseconds = String(time.nanoseconds)
        let padding = String(repeating: "0", count: 9 - nanoseconds.count)
        return "\(HTTPDate.internetText(time.seconds).dropLast()).\(padding)\(nanoseconds)Z"
    }

    /// Returns the names in the folder at `path` in alphabetical order, without hidden ones.
    static func names(in path: String) throws(ImageError) -> [String] { try entries(in: path).map(\.name) }

    /// An entry of a folder.
    struct Entry: Hashable, Sendable {
        let name: String
        let isFolder: Bool
        /// The version of an object in a bucket, as ``BucketFiles/status(_:)`` has it.
        var version: String?
    }

    /// Returns the entries of the folder at `path` in alphabetical order, without hidden ones. Links are followed.
    static func entries(in path: String) throws(ImageError) -> [Entry] {
        guard !BucketFiles.isAddress(path) else { return try BucketFiles.entries(in: path) }
        var entries: [Entry] = []
        let isFolder = FolderListing.forEach(in: path) { entry in
            let name = entry.name
            guard name.utf8.first != UInt8(ascii: ".") else { return }
            switch entry.kind {
            case .folder: entries.append(Entry(name: name, isFolder: true))
            case .regular, .stream, .other: entries.append(Entry(name: name, isFolder: false))
            // Some file systems don't store it.
            case .link, nil:
                entries.append(Entry(name: name, isFolder: self.isFolder(FilePath(name, in: path).text)))
            }
        }
        guard isFolder else { throw failure("\(path) can't be read") }
        entries.sort { $0.name < $1.name }
        return entries
    }

    /// Creates the folder at `path` and its parents if they don't exist.
    static func makeFolder(_ path: String) throws(ImageError) {
        // In a bucket, folders are beginnings of keys.
        guard !path.isEmpty, !BucketFiles.isAddress(path), !isFolder(path) else { return }
        try makeFolder(FilePath(path).folder)
        // Another process may have created it in between.
        guard mkdir(path.native, 0o777) == 0 || (errno == EEXIST && isFolder(path)) else {
            throw failure("the folder \(path) can't be made")
        }
    }

    /// Writes the file at `path`, which appears whole or not at all.
    static func write(_ bytes: [UInt8], to path: String, overwrites: Bool = false) throws(ImageError) {
        let file = try AtomicFile(path: path, overwrites: overwrites)
        try file.write(bytes)
        try file.commit()
    }

    private static func failure(_ message: String) -> ImageError {
        ImageError(.inputOutput, "\(message): \(String(cString: strerror(errno)))")
    }
}
