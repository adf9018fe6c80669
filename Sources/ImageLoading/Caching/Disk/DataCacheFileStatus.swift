internal import Platform

/// What the file system knows of an entry's file.
struct DataCacheFileStatus: Hashable {
    let name: DataCacheFileName
    /// How long it is.
    let byteCount: Int
    /// When it was last used.
    let accessTime: FileTime
    /// When it was stored, or confirmed by its server.
    let modificationTime: FileTime
    private let number: UInt64

    init(name: DataCacheFileName, _ status: stat) {
        self.name = name
        byteCount = Int(status.st_size)
        accessTime = status.accessTime
        modificationTime = status.modificationTime
        number = UInt64(status.st_ino)
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
        number == other.number && byteCount == other.byteCount && modificationTime == other.modificationTime
    }
}
