/// Unnamed files, which disappear with the process.
package enum UnnamedFile {
    /// The system's folder for temporary files.
    package static var temporaryFolder: String {
        guard let folder = getenv("TMPDIR").map({ String(cString: $0) }), !folder.isEmpty else { return "/tmp" }
        return folder
    }

    /// Opens an unnamed file in `folder` for reading and writing. The caller closes it; error messages call it `name`.
    /// - Throws: `inputOutput`; `invalidParameter` if `folder` isn't a path.
    package static func open(in folder: String, called name: String) throws(ImageError) -> CInt {
        guard !folder.isEmpty, !folder.utf8.contains(0) else {
            throw ImageError(.invalidParameter, "a folder's path can't be empty or contain a zero byte")
        }
        // With O_EXCL it can't be given a name later.
        if let number = openWithoutName(in: folder, O_RDWR | O_EXCL, mode: 0o600) { return number }
        while true {
            let path = "\(folder)/.tessera-\(String(UInt64.random(in: 0 ... .max), radix: 36)).tiles"
            let number = SystemCall.open(path, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
            if number >= 0 {
                guard unlink(path.native) == 0 else {
                    let error = failure("made to have no name", name)
                    close(number)
                    throw error
                }
                return number
            }
            guard errno == EEXIST else { throw failure("made", name) }
        }
    }

    private static func failure(_ purpose: String, _ name: String) -> ImageError {
        ImageError(.inputOutput, "\(name) can't be \(purpose): \(SystemError.last)")
    }
}

// MARK: Files that get a name later

extension UnnamedFile {
    #if os(Linux) && !TESSERA_POSIX
    // O_TMPFILE is a macro of two parts, which Swift doesn't see; the first is the same on every processor.
    private static let unnamed: CInt = 0o20000000 | O_DIRECTORY

    /// Whether the system can give an unnamed file a name; not every file system supports it.
    package static let canBeNamed = true

    private static func openWithoutName(in folder: String, _ flags: CInt, mode: UInt32) -> CInt? {
        let number = SystemCall.open(folder, flags | unnamed, mode: mode)
        return number >= 0 ? number : nil
    }

    /// Opens an unnamed file in `folder` for writing, which `name(_:_:)` can give a name; nil where the system or the file
    /// system doesn't support that.
    static func openNameable(in folder: String) -> CInt? {
        // The name is given later through /proc.
        guard access("/proc/self/fd", X_OK) == 0 else { return nil }
        return openWithoutName(in: folder, O_WRONLY, mode: 0o666)
    }

    /// Gives the open file `number` an unused name; false with the reason in `errno`, EEXIST if the name is in use.
    static func name(_ number: CInt, _ path: String) -> Bool {
        // Linking never replaces a file, even one that another process creates at the same moment.
        linkat(AT_FDCWD, "/proc/self/fd/\(number)", AT_FDCWD, path.native, AT_SYMLINK_FOLLOW) == 0
    }
    #else
    // POSIX has named files only: one is created under a random name, then unlinked or renamed.

    /// Whether the system can give an unnamed file a name; not every file system supports it.
    package static let canBeNamed = false

    private static func openWithoutName(in folder: String, _ flags: CInt, mode: UInt32) -> CInt? { nil }

    static func openNameable(in folder: String) -> CInt? { nil }

    static func name(_ number: CInt, _ path: String) -> Bool {
        errno = ENOSYS
        return false
    }
    #endif
}
