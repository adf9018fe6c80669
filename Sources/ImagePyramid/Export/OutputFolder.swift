internal import ImageFormats
internal import Platform
internal import Raster

/// A folder that gets its name when all that belongs into it is there.
///
/// Until then it is locked. One under a name of its own that nobody has locked is what a killed process left behind: it is
/// removed by the next that makes one beside it.
final class OutputFolder: Sendable {
    /// The path that it is to have.
    let path: String
    /// Where it is until then.
    private let temporary: String
    private let number: CInt
    private let keepsPartial: Bool

    // What the names of folders begin and end with that nobody goes on with.
    private static let hiddenPrefix = ".tessera-"
    private static let hiddenSuffix = OutputFile.partialSuffix

    /// Makes a folder that will be called `path`.
    /// - Parameter resumes: Whether it is called `path` and `.part` until then and stays when it isn't committed.
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
                // Some file systems have no locks; there nothing is removed either.
                let isTaken = !isLocked && errno == EWOULDBLOCK
                if !isTaken, resumes || Self.isSame(number, temporary) {
                    (self.temporary, self.number) = (temporary, number)
                    return
                }
                close(number)
            }
            // Whoever removes what is abandoned may have come before the lock.
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

    /// Removes folders under names of their own that no process has locked.
    private static func removeAbandoned(in parent: String) {
        for name in names(in: parent) where name.hasPrefix(hiddenPrefix) && name.hasSuffix(hiddenSuffix) {
            let path = "\(parent)/\(name)"
            let number = SystemCall.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
            guard number >= 0 else { continue }
            if flock(number, LOCK_EX | LOCK_NB) == 0 {
                // Closed, and with that unlocked, when it is empty.
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

    /// Makes a folder in it, unless it is there.
    func makeFolder(_ name: String) throws(ImageError) {
        guard mkdirat(number, name, 0o777) == 0 || errno == EEXIST else {
            throw Self.failure("\(path)/\(name) can't be made")
        }
    }

    /// Makes every folder on the way to `name`.
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
        // Some file systems say only here that the disk is full.
        guard close(file) == 0 else { throw Self.failure("\(path)/\(name) can't be written") }
    }

    func write(_ bytes: [UInt8], to name: String) throws(ImageError) {
        try bytes.span.bytes.withUnsafeBytes { (bytes) throws(ImageError) in try write(bytes, to: name) }
    }

    /// The bytes of a file in it, at most `limit`; nil where there is none.
    func read(_ name: String, limit: Int) -> [UInt8]? {
        let file = Self.open(name, in: number, O_RDONLY | O_NOFOLLOW)
        guard file >= 0 else { return nil }
        return try? FileDescriptor(file, name: name, isOwned: true).bytes(limit, at: 0)
    }

    /// The last `count` bytes of a file in it; nil where there is none as long.
    func tail(_ name: String, count: Int) -> [UInt8]? {
        let file = Self.open(name, in: number, O_RDONLY | O_NOFOLLOW)
        guard file >= 0 else { return nil }
        let descriptor = FileDescriptor(file, name: name, isOwned: true)
        guard let length = FileStatus(file)?.byteCount, length >= count else { return nil }
        return try? descriptor.bytes(count, at: length - count)
    }

    /// Removes a file in it, if there is one.
    func remove(_ name: String) { unlinkat(number, name, 0) }

    func removeAll() {
        let copy = Self.open(".", in: number, O_RDONLY | O_DIRECTORY)
        if copy >= 0 { Self.removeContents(copy) }
    }

    /// Gives it its name. What has it, if that may be replaced, is put aside first, and removed when all went well.
    /// - Parameter next: What has to be done then. When it fails, the name is given back.
    func commit(overwrites: Bool, next: () throws(ImageError) -> Void) throws(ImageError) {
        // Whatever happens meanwhile, there is one of them under the name.
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

    /// Removes a folder with all that is in it; links in it are removed, not followed.
    static func remove(_ path: String) {
        let number = SystemCall.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        if number >= 0 { removeContents(number) }
        rmdir(path)
    }

    /// What the system opens in a folder, or -1 with the reason in `errno`; never passed to programs started later.
    private static func open(_ name: String, in folder: CInt, _ flags: CInt) -> CInt {
        while true {
            let number = openat(folder, name, flags | O_CLOEXEC, 0o666)
            if number >= 0 || errno != EINTR { return number }
        }
    }

    /// Empties a folder and closes it. A descriptor for each level is all it takes: there may be few left.
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
