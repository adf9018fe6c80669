/// What the system knows of a file.
package struct FileStatus: Hashable, Sendable {
    /// What a file can be.
    package enum Kind: Hashable, Sendable {
        /// A file with content of its own.
        case regular
        case folder
        /// A symbolic link.
        case link
        /// A pipe, a socket, or a device that gives and takes bytes in their order.
        case stream
        /// A disk, or something that has no name here.
        case other
    }

    /// What it is.
    package let kind: Kind
    /// Who may do what with it: the nine bits of `rwxrwxrwx`.
    package let permissions: UInt32
    /// How long it is.
    package let byteCount: Int
    /// When it was last read.
    package let accessTime: FileTime
    /// When it was last written.
    package let modificationTime: FileTime
    /// When anything of it was changed, its name, owner or content; nobody can set it.
    package let changeTime: FileTime
    /// Which file system it is on.
    package let device: UInt64
    /// Which file there it is.
    package let inode: UInt64

    /// That of the open file `number`; nil, with the reason in `errno`, where the system has none.
    package init?(_ number: CInt) {
        var status = stat()
        guard fstat(number, &status) == 0 else { return nil }
        self.init(status)
    }

    /// That of what is at `path`; nil, with the reason in `errno`, where there is nothing.
    /// - Parameter followsLinks: Whether a link's destination is asked about rather than the link.
    package init?(path: String, followsLinks: Bool = true) {
        // The system would take what is before a zero byte for the path.
        guard !path.utf8.contains(0) else {
            errno = ENOENT
            return nil
        }
        var status = stat()
        guard (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        self.init(status)
    }

    /// That of what is called `name` in an open folder, links not followed; nil, with the reason in `errno`, where there is
    /// nothing.
    package init?(_ name: UnsafePointer<CChar>, in folder: CInt) {
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .folder
            case S_IFLNK: .link
            case S_IFIFO, S_IFSOCK, S_IFCHR: .stream
            default: .other
            }
        permissions = UInt32(status.st_mode & 0o777)
        byteCount = Int(status.st_size)
        #if canImport(Darwin)
        accessTime = FileTime(status.st_atimespec)
        modificationTime = FileTime(status.st_mtimespec)
        changeTime = FileTime(status.st_ctimespec)
        #else
        accessTime = FileTime(status.st_atim)
        modificationTime = FileTime(status.st_mtim)
        changeTime = FileTime(status.st_ctim)
        #endif
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// Whether it is a file with content of its own, as neither folders nor pipes nor devices are.
    package var isRegular: Bool { kind == .regular }
    /// Whether it is a folder.
    package var isFolder: Bool { kind == .folder }

    /// Whether both are the same file, whatever it is called and whatever is in it.
    package func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }
}
