internal import ImageFormats
internal import Platform
internal import Raster

/// A folder that gets its name when its contents are complete.
///
/// Until then it is locked. A hidden folder without a lock was left by a killed process; the next process that makes
/// one beside it removes it.
final class OutputFolder: Sendable {
    /// The final path.
    let path: String
    /// The path until then.
    private let temporary: String
    private let number: CInt
    private let keepsPartial: Bool

    // The prefix and suffix of hidden folders, which are never resumed.
    private static let hiddenPrefix = ".tessera-"
    private static let hiddenSuffix = OutputFile.partialSuffix

    /// Creates a folder that will be named `path`.
    /// - Parameter resumes: Whether it is named `path` with `.part` until then, and stays if it isn't committed.
    init(path: String, resumes: Bool) throws(ImageError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw ImageError(.invalidParameter, "a path can't be empty or contain a zero byte")
        }
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let parent = slash.map { String(path[...$0]) } ?? ""
        self.path = path
        keepsPartial = resumes
        if !resumes { Self.removeAbandoned(in: parent.isEmpty ? "." : parent) }
        while true {
            let temporary =
                resumes
                ? path + OutputFile.partialSuffix
                : parent + Self.hiddenPrefix + String(UInt64.random(in: 0 ... .max), radix: 36) + Self.hiddenSuffix
            guard mkdir(temporary, 0o777) == 0 || (resumes && errno == EEXIST) else {
                throw Self.failure("the folder \(path) can't be made")
            }
            let number = SystemCall.open(temporary, O_RDONLY | O_DIRECTORY)
            if number >= 0 {
                let isLocked = FileDescriptor.lock(number)
                // Some file systems have no locks; abandoned folders aren't removed there either.
                let isTaken = !isLocked && errno == EWOULDBLOCK
                if !isTaken, resumes || Self.isSame(number, temporary) {
                    (self.temporary, self.number) = (temporary, number)
                    return
                }
                close(number)
            }
            // Another process may have removed it as abandoned before it was locked.
            guard !resumes else {
                throw number < 0
                    ? Self.failure("\(temporary) can't be written")
                    : ImageError(.inputOutput, "\(temporary) is being written by another process")
            }
            guard number >= 0 || errno == ENOENT else {
                let error = Self.failure("the folder \(path) can't be made")
                rmdir(temporary)
                throw error
            }
        }
    }

    private static func isSame(_ number: CInt, _ path: String) -> Bool {
        guard let open = FileStatus(number), let named = FileStatus(path: path, followsLinks: false) else {
            return false
        }
        return open.isSameFile(as: named)
    }

    /// Removes hidden folders that no process has locked.
    private static func removeAbandoned(in parent: String) {
        for name in names(in: parent) where name.hasPrefix(hiddenPrefix) && name.hasSuffix(hiddenSuffix) {
            let path = "\(parent)/\(name)"
            let number = SystemCall.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
            guard number >= 0 else { continue }
            if flock(number, LOCK_EX | LOCK_NB) == 0 {
                // Closed when it is empty, which unlocks it.
                removeContents(number)
                rmdir(path)
            } else {
                close(number)
            }
        }
    }

    private static func names(in path: String) -> [String] {
        var names: [String] = []
        FolderListing.forEach(in: path) { names.append($0.name) }
        return names
    }

    deinit {
        close(number)
        if !keepsPartial { Self.remove(temporary) }
    }

    /// Creates a folder inside this one, unless it exists.
    func makeFolder(_ name: String) throws(ImageError) {
        guard mkdirat(number, name, 0o777) == 0 || errno == EEXIST else {
            throw Self.failure("\(path)/\(name) can't be made")
        }
    }

    /// Creates every folder on the path of `name`.
    func makeFolders(to name: String) throws(ImageError) {
        for (index, byte) in name.utf8.enumerated() where byte == UInt8(ascii: "/") {
            try makeFolder(String(name.utf8.prefix(index)) ?? name)
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, to name: String) throws(ImageError) {
        let file = Self.open(name, in: number, O_WRONLY | O_CREAT | O_TRUNC)
        guard file >= 0 else { throw Self.failure("\(path)/\(name) can't be written") }
        do throws(ImageError) {
            try FileDescriptor(file, name: "\(path)/\(name)", isOwned: false).write(bytes, at: 0)
        } catch {
            close(file)
            throw error
        }
        // Some file systems report a full disk only here.
        guard close(file) == 0 else { throw Self.failure("\(path)/\(name) can't be written") }
    }

    func write(_ bytes: [UInt8], to name: String) throws(ImageError) {
        try bytes.span.bytes.withUnsafeBytes { (bytes) throws(ImageError) in try write(bytes, to: name) }
    }

    /// Returns the bytes of a file in the folder, at most `limit`; nil if it can't be read.
    func read(_ name: String, limit: Int) -> [UInt8]? {
        let file = Self.open(name, in: number, O_RDONLY | O_NOFOLLOW)
        guard file >= 0 else { return nil }
        return try? FileDescriptor(file, name: name, isOwned: true).bytes(limit, at: 0)
    }

    /// Returns the first and the last `count` bytes of a file in the folder, and its length; nil if it is missing or
    /// shorter.
    func ends(of name: String, count: Int) -> (head: [UInt8], tail: [UInt8], byteCount: Int)? {
        let file = Self.open(name, in: number, O_RDONLY | O_NOFOLLOW)
        guard file >= 0 else { return nil }
        let descriptor = FileDescriptor(file, name: name, isOwned: true)
        guard let length = FileStatus(file)?.byteCount, length >= count else { return nil }
        guard let head = try? descriptor.bytes(count, at: 0),
            let tail = try? descriptor.bytes(count, at: length - count)
        else { return nil }
        return (head, tail, length)
    }

    /// Removes a file in the folder, if it exists.
    func remove(_ name: String) { unlinkat(number, name, 0) }

    func removeAll() {
        let copy = Self.open(".", in: number, O_RDONLY | O_DIRECTORY)
        if copy >= 0 { Self.removeContents(copy) }
    }

    /// Gives the folder its name. An existing folder, if it may be replaced, is renamed first, and removed at the end.
    /// - Parameter next: The step after renaming. If it fails, the renaming is undone.
    func commit(overwrites: Bool, next: () throws(ImageError) -> Void) throws(ImageError) {
        // An exchange is atomic: a folder of this name exists at any time.
        if overwrites, SystemCall.exchange(temporary, path) == 0 {
            do throws(ImageError) {
                try next()
            } catch {
                _ = SystemCall.exchange(temporary, path)
                throw error
            }
            return Self.remove(temporary)
        }
        let old = temporary + ".old"
        let replaces = overwrites && rename(path, old) == 0
        guard replaces || !overwrites || errno == ENOENT else { throw Self.failure("\(path) can't be replaced") }
        guard rename(temporary, path) == 0 else {
            let error = Self.failure("\(path) can't be written")
            if replaces { rename(old, path) }
            throw error
        }
        do throws(ImageError) {
            try next()
        } catch {
            rename(path, temporary)
            if replaces { rename(old, path) }
            throw error
        }
        if replaces { Self.remove(old) }
    }

    /// Removes a folder with all its contents; links in it are removed, not followed.
    static func remove(_ path: String) {
        let number = SystemCall.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        if number >= 0 { removeContents(number) }
        rmdir(path)
    }

    /// Opens a file in a folder; returns -1 on failure, with the reason in `errno`. The descriptor isn't inherited by
    /// child processes.
    private static func open(_ name: String, in folder: CInt, _ flags: CInt) -> CInt {
        while true {
            let number = openat(folder, name, flags | O_CLOEXEC, 0o666)
            if number >= 0 || errno != EINTR { return number }
        }
    }

    /// Empties a folder and closes it. Uses one descriptor for each level, because few may be left.
    private static func removeContents(_ folder: CInt) {
        FolderListing.forEach(inOpen: folder) { entry in
            if unlinkat(folder, entry.cName, 0) != 0 {
                let inner = open(entry.name, in: folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
                guard inner >= 0 else { return true }
                removeContents(inner)
                unlinkat(folder, entry.cName, AT_REMOVEDIR)
            }
            return true
        }
    }

    private static func failure(_ message: String) -> ImageError {
        ImageError(.inputOutput, "\(message): \(String(cString: strerror(errno)))")
    }
}
