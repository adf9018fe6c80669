/// What is in a cache's folder.
public struct DataCacheStatistics: Hashable, Sendable {
    /// Some of the entries.
    public struct Share: Hashable, Sendable {
        /// How many there are.
        public var entryCount = 0
        /// How many bytes their files have.
        public var byteCount = 0
    }

    /// All of them.
    public var all = Share()
    /// Those of each media type, as their servers said it; the empty text for those of none.
    public var mediaTypes: [String: Share] = [:]
    /// How many pictures they are variants of.
    public var groupCount = 0
    /// What they take of the disk and of the cache's limit, in bytes.
    public var byteCountOnDisk = 0
    /// The limit of the cache that last used the folder, in bytes; nil where it isn't known.
    public var byteLimit: Int?
    /// When the oldest entry was stored or last confirmed, in seconds since 1970; nil without entries.
    public var oldest: Int64?
    /// When the newest entry was stored or last confirmed, likewise.
    public var newest: Int64?
    /// How many files are damaged, so far as can be told without reading all of them. They aren't counted above.
    public var damagedCount = 0
}
