/// A file's status: kind, permissions, size and times.
package struct FileStatus: Hashable, Sendable {
    /// The kind of a file.
    package enum Kind: Hashable, Sendable {
        /// A file with content.
        case regular
        case folder
        /// A symbolic link.
        case link
        /// A pipe, a socket or a character device: bytes in order.
        case stream
        /// A block device, or any other kind.
        case other
    }

    /// The kind of file.
    package let kind: Kind
    /// The permissions: the nine bits of `rwxrwxrwx`.
    package let permissions: UInt32
    /// The length in bytes.
    package let byteCount: Int
    /// The time of the last read.
    package let accessTime: FileTime
    /// The time of the last write.
    package let modificationTime: FileTime
    /// The time of the last change to name, owner or content, which can't be set.
    package let changeTime: FileTime
    /// The file system's number.
    package let device: UInt64
    /// The file's number in its file system.
    package let inode: UInt64

    /// The status of the open file `number`; nil, with the reason in `errno`, on failure.
    package init?(_ number: CInt) {
        var status = stat()
        guard fstat(number, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The status of the file at `path`; nil, with the reason in `errno`, if there is none.
    /// - Parameter followsLinks: Whether to return the status of a link's destination instead of the link's.
    package init?(path: String, followsLinks: Bool = true) {
        // The system would use the part before a zero byte as the path.
        guard !path.utf8.contains(0) else {
            errno = ENOENT
            return nil
        }
        var status = stat()
        guard (followsLinks ? stat(path.native, &status) : lstat(path.native, &status)) == 0 else { return nil }
        self.init(status)
    }

    /// The status of the entry `name` in an open folder, links not followed; nil, with the reason in `errno`, if there is
    /// none.
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

    /// Whether it is a regular file: neither a folder nor a pipe nor a device.
    package var isRegular: Bool { kind == .regular }
    /// Whether it is a folder.
    package var isFolder: Bool { kind == .folder }

    /// Whether both are the same file, regardless of name and content.
    package func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }
}
