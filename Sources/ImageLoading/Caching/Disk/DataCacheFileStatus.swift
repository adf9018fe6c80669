internal import Platform

/// What the file system knows of an entry's file.
@dynamicMemberLookup
struct DataCacheFileStatus: Hashable {
    let name: DataCacheFileName
    private let status: FileStatus

    init(name: DataCacheFileName, _ status: FileStatus) { (self.name, self.status) = (name, status) }

    subscript<Value>(dynamicMember path: KeyPath<FileStatus, Value>) -> Value { status[keyPath: path] }

    /// What it takes of the cache's limit.
    var cost: Int { Self.cost(status.byteCount) }

    /// What a file of that length takes of a disk: whole blocks of 4 KiB, as most file systems have.
    static func cost(_ byteCount: Int) -> Int {
        let (sum, overflow) = byteCount.addingReportingOverflow(4095)
        return overflow ? .max : sum & ~4095
    }

    /// Whether both are the same file with the same content.
    func isSame(as other: DataCacheFileStatus) -> Bool {
        self.inode == other.inode && self.byteCount == other.byteCount
            && self.modificationTime == other.modificationTime
    }
}
