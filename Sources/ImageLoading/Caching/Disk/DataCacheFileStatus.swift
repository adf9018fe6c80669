internal import Platform

/// What the file system knows of an entry's file.
struct DataCacheFileStatus: Hashable {
    let name: DataCacheFileName
    let byteCount: Int
    let accessTime: FileTime
    /// When it was stored, or confirmed by its server.
    let modificationTime: FileTime
    private let inode: UInt64

    init(name: DataCacheFileName, _ status: FileStatus) {
        self.name = name
        byteCount = status.byteCount
        accessTime = status.accessTime
        modificationTime = status.modificationTime
        inode = status.inode
    }

    /// What it takes of the cache's limit.
    var cost: Int { Self.cost(byteCount) }

    /// What a file of that length takes of a disk: whole blocks of 4 KiB, as most file systems have.
    static func cost(_ byteCount: Int) -> Int {
        let (sum, overflow) = byteCount.addingReportingOverflow(4095)
        return overflow ? .max : sum & ~4095
    }

    /// Whether both are the same file with the same content.
    func isSame(as other: DataCacheFileStatus) -> Bool {
        inode == other.inode && byteCount == other.byteCount && modificationTime == other.modificationTime
    }
}
