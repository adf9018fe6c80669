#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
internal import Raster

/// A folder that gets its name when all that belongs into it is there.
final class OutputFolder: Sendable {
    /// The path that it is to have.
    let path: String
    /// Where it is until then.
    private let temporary: String
    private let number: CInt
    private let keepsPartial: Bool

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
        temporary =
            resumes
            ? path + OutputFile.partialSuffix
            : parent + ".tessera-\(String(UInt64.random(in: 0 ... .max), radix: 36)).part"
        guard mkdir(temporary, 0o777) == 0 || (resumes && errno == EEXIST) else {
            throw Self.failure("the folder \(path) can't be made")
        }
        number = open(temporary, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw Self.failure("\(temporary) can't be written") }
        guard !resumes || flock(number, LOCK_EX | LOCK_NB) == 0 else {
            close(number)
            throw ImageError(.inputOutput, "\(temporary) is being written by another process")
        }
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

    /// Writes a file in it.
    func write(_ bytes: UnsafeRawBufferPointer, to name: String) throws(ImageError) {
        let file = openat(number, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard file >= 0 else { throw Self.failure("\(path)/\(name) can't be written") }
        var done = 0
        while done < bytes.count {
            // Within the buffer: done is less than its count.
            let count = pwrite(file, bytes.baseAddress! + done, bytes.count - done, off_t(done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let error = Self.failure("\(path)/\(name) can't be written")
                close(file)
                throw error
            }
            done += count
        }
        // Some file systems say only here that the disk is full.
        guard close(file) == 0 else { throw Self.failure("\(path)/\(name) can't be written") }
    }

    /// Writes a file in it.
    func write(_ bytes: [UInt8], to name: String) throws(ImageError) {
        try bytes.span.bytes.withUnsafeBytes { (bytes) throws(ImageError) in try write(bytes, to: name) }
    }

    /// The bytes of a file in it, at most `limit`; nil where there is none.
    func read(_ name: String, limit: Int) -> [UInt8]? {
        let file = openat(number, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return try? PositionedReading.read(file, limit, at: 0, name: name)
    }

    /// The last `count` bytes of a file in it, and its length; nil where there is none as long.
    func tail(_ name: String, count: Int) -> (bytes: [UInt8], length: Int)? {
        let file = openat(number, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, Int(status.st_size) >= count,
            let bytes = try? PositionedReading.read(file, count, at: Int(status.st_size) - count, name: name)
        else { return nil }
        return (bytes, Int(status.st_size))
    }

    /// Removes a file in it, if there is one.
    func remove(_ name: String) { unlinkat(number, name, 0) }

    /// Empties it.
    func removeAll() { Self.removeContents(number) }

    /// Gives it its name. What has it, if that may be replaced, is put aside first, and removed when all went well.
    func commit(overwrites: Bool) throws(ImageError) {
        let old = temporary + ".old"
        let replaces = overwrites && rename(path, old) == 0
        guard replaces || !overwrites || errno == ENOENT else { throw Self.failure("\(path) can't be replaced") }
        guard rename(temporary, path) == 0 else {
            let error = Self.failure("\(path) can't be written")
            if replaces { rename(old, path) }
            throw error
        }
        if replaces { Self.remove(old) }
    }

    /// Removes a folder with all that is in it; links in it are removed, not followed.
    static func remove(_ path: String) {
        let number = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard number >= 0 else { return }
        removeContents(number)
        close(number)
        rmdir(path)
    }

    private static func removeContents(_ folder: CInt) {
        let copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let entries = fdopendir(copy) else { return }
        defer { closedir(entries) }
        while let entry = readdir(entries) {
            // The name is a C string within the entry, which stays until the next call.
            withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) { name in
                    guard strcmp(name, ".") != 0, strcmp(name, "..") != 0, unlinkat(folder, name, 0) != 0 else {
                        return
                    }
                    let inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
                    guard inner >= 0 else { return }
                    removeContents(inner)
                    close(inner)
                    unlinkat(folder, name, AT_REMOVEDIR)
                }
            }
        }
    }

    private static func failure(_ message: String) -> ImageError {
        ImageError(.inputOutput, "\(message): \(String(cString: strerror(errno)))")
    }
}
