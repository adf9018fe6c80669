internal import Platform

/// The name and file status of an entry's file.
@dynamicMemberLookup
struct DataCacheFileStatus: Hashable {
    let name: DataCacheFileName
    private let status: FileStatus

    init(name: DataCacheFileName, _ status: FileStatus) { (self.name, self.status) = (name, status) }

    subscript<Value>(dynamicMember path: KeyPath<FileStatus, Value>) -> Value { status[keyPath: path] }

    /// The part of the cache's limit that the file takes.
    var cost: Int { Self.cost(status.byteCount) }

    /// The space that a file of this length takes on disk, in whole blocks of 4 KiB, as most file systems have.
    static func cost(_ byteCount: Int) -> Int {
        let (sum, overflow) = byteCount.addingReportingOverflow(4095)
        return overflow ? .max : sum & ~4095
    }

    /// Whether both are the same file with unchanged content: same inode, length and modification time.
    func isSame(as other: DataCacheFileStatus) -> Bool {
        self.inode == other.inode && self.byteCount == other.byteCount
            && self.modificationTime == other.modificationTime
    }
}
