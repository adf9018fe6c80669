import FoundationEssentials
import Glibc
import ImageLoading

extension FuzzTarget {
    /// A file of the disk cache, its checksums made right: an entry or none, the same for all who look at it, and its
    /// freshness can be changed if it is one.
    static let cacheEntry = FuzzTarget(
        name: "cache-entry", seedExtensions: [], seeds: { [CacheEntries.entry] }
    ) { input in
        _ = CacheEntries.entry
        var bytes = input
        CacheEntries.mend(&bytes)
        Scratch.write(bytes, to: CacheEntries.name)
        Blocking.run {
            await CacheEntries.check()
            // A damaged file is removed before the next takes its place: written where it was, within one tick of the file
            // system's clock, that would be the same file.
            await CacheEntries.cache.flush()
        }
    }
}

private enum CacheEntries {
    static let cache = DataCache(directory: Scratch.path("cache"))
    static let key = DataCacheKey(group: "https://example.org/a.jpg", variant: [1, 2, 3])

    /// Where the entry's file is, within the scratch folder.
    static let name: String = {
        _ = entry
        guard let folder = names("cache").first(where: { $0.utf8.count == 2 }),
            let file = names("cache/\(folder)").first
        else { fatalError("the cache has no file") }
        return "cache/\(folder)/\(file)"
    }()

    static let entry: [UInt8] = {
        let metadata = DataCacheMetadata(
            url: "https://example.org/a.jpg", mimeType: "image/jpeg", entityTag: "\"a\"", lastModified: nil,
            freshness: CacheFreshness(validatedAt: 10, lifetime: 20))
        Blocking.run {
            await cache.store(DataCacheEntry(data: Data([1, 2, 3, 4, 5]), metadata: metadata), for: key)
            await cache.flush()
        }
        return names("cache").filter { $0.utf8.count == 2 }
            .flatMap { folder in names("cache/\(folder)").map { Scratch.read(Scratch.path("cache/\(folder)/\($0)")) } }
            .first ?? []
    }()

    private static func names(_ folder: String) -> [String] {
        guard let stream = opendir(Scratch.path(folder)) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// The checksums of description, bytes, header and freshness, as `DataCacheHeader` has them.
    static func mend(_ bytes: inout [UInt8]) {
        guard let count = bytes.number(at: 16, 4), count <= bytes.count - 96 else { return }
        bytes.set(UInt64(bytes.count - 96 - count), at: 8, 8)
        bytes.set(UInt64(bytes.checksum(96..<96 + count)), at: 20, 4)
        bytes.set(UInt64(bytes.checksum(96 + count..<bytes.count)), at: 24, 4)
        let header = bytes.checksum(0..<28)
        bytes.set(UInt64(header), at: 28, 4)
        for slot in [32, 64] { bytes.set(UInt64(bytes.checksum(slot..<slot + 24, after: header)), at: slot + 24, 4) }
    }

    static func check() async {
        let metadata = await cache.metadata(for: key)
        let entry = await cache.entry(for: key)
        precondition(entry == nil || metadata == entry?.metadata)
        guard entry != nil else { return }
        let freshness = CacheFreshness(validatedAt: 7, lifetime: 8)
        await cache.update(freshness, for: key)
        await cache.flush()
        let updated = await cache.entry(for: key)
        precondition(updated?.data == entry?.data)
    }
}
