/// A cache for bytes that outlives the program.
///
/// Whatever goes wrong with its storage, a cache is never a reason for a picture not to load: what can't be read isn't
/// there.
public protocol DataCaching: AnyObject, Sendable {
    /// The bytes under `key`; nil where there are none, or damaged ones.
    func entry(for key: DataCacheKey) async -> DataCacheEntry?
    /// What is known of the bytes under `key`, without reading them.
    func metadata(for key: DataCacheKey) async -> DataCacheMetadata?
    /// Keeps `entry` under `key`. It can be had at once, also while it is being written.
    func store(_ entry: DataCacheEntry, for key: DataCacheKey) async
    /// Says that the server has confirmed the bytes under `key`.
    func update(_ freshness: CacheFreshness, for key: DataCacheKey) async
    /// Removes the bytes under `key`.
    func remove(for key: DataCacheKey) async
    /// Removes the bytes of all variants in `group`.
    func removeAll(in group: String) async
    /// Removes everything.
    func removeAll() async
    /// Returns when what was given to the cache is on disk.
    func flush() async
}
