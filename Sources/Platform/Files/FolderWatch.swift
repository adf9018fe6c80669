/// Notices changes in a folder: files that appear, change, or disappear.
///
/// On Linux the system reports them (inotify); elsewhere the folder is listed again and compared.
package final class FolderWatch {
    private let path: String
    private let isRecursive: Bool

    #if os(Linux) && !TESSERA_POSIX
    private let events: CInt
    private static let mask = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE)

    /// Watches the folder at `path`, and with `isRecursive` its subfolders, also those that are made later.
    /// - Throws: `inputOutput` if the folder can't be watched, for example because the system's limit is reached.
    package init(path: String, isRecursive: Bool) throws(ImageError) {
        (self.path, self.isRecursive) = (path, isRecursive)
        events = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
        guard events >= 0 else { throw FileDescriptor.failure(path, .reading) }
        try watch(path)
    }

    deinit { close(events) }

    /// Whether anything has changed since the last call, or since the watch began.
    ///
    /// Doesn't wait. Subfolders that can't be watched are left out.
    package func hasChanged() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        var changed = false
        while buffer.withUnsafeMutableBytes({ SystemCall.read(events, into: $0) }) > 0 { changed = true }
        // New subfolders, and files that were put there before they were watched.
        if changed, isRecursive { try? watch(path) }
        return changed
    }

    private func watch(_ folder: String) throws(ImageError) {
        guard inotify_add_watch(events, folder.native, Self.mask) >= 0 else {
            throw FileDescriptor.failure(folder, .reading)
        }
        guard isRecursive else { return }
        var folders: [String] = []
        FolderListing.forEach(in: folder) { entry in
            if entry.kind ?? entry.status()?.kind == .folder { folders.append("\(folder)/\(entry.name)") }
        }
        for inner in folders { try? watch(inner) }
    }
    #else
    /// The files' times; none of folders, which change with what is in them.
    private var state: [String: FileTime?] = [:]

    /// Watches the folder at `path`, and with `isRecursive` its subfolders, also those that are made later.
    /// - Throws: `inputOutput` if there is no such folder.
    package init(path: String, isRecursive: Bool) throws(ImageError) {
        (self.path, self.isRecursive) = (path, isRecursive)
        guard FileStatus(path: path)?.isFolder ?? false else { throw FileDescriptor.failure(path, .reading) }
        state = list(path)
    }

    /// Whether anything has changed since the last call, or since the watch began. Takes a status of each file.
    package func hasChanged() -> Bool {
        let new = list(path)
        defer { state = new }
        return new != state
    }

    private func list(_ folder: String) -> [String: FileTime?] {
        var times: [String: FileTime?] = [:]
        FolderListing.forEach(in: folder) { entry in
            guard let status = entry.status() else { return }
            let name = "\(folder)/\(entry.name)"
            times.updateValue(status.isFolder ? nil : status.modificationTime, forKey: name)
            if status.isFolder, isRecursive { times.merge(list(name)) { first, _ in first } }
        }
        return times
    }
    #endif
}
