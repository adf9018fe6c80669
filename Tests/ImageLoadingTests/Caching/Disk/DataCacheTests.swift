import Foundation
import ImageLoading
import Testing
import TestSupport

/// What a cache keeps, and gives back.
@Suite("The data cache")
struct DataCacheTests {
    private let folder: TemporaryFolder
    private let key = DataCacheKey(group: "https://example.org/a.png")

    init() throws { folder = try TemporaryFolder() }

    private static let metadata = [
        DataCacheMetadata(freshness: CacheFreshness(validatedAt: 0, lifetime: 0)),
        DataCacheMetadata(
            url: "https://example.org/ä?b=c", mimeType: "image/avif", entityTag: "W/\"x\"",
            lastModified: "Sat, 21 Nov 2026 21:00:00 GMT",
            freshness: CacheFreshness(validatedAt: 1_795_000_000, lifetime: 86_400)),
        DataCacheMetadata(
            url: "", mimeType: "", entityTag: "", lastModified: "",
            freshness: CacheFreshness(validatedAt: .min, lifetime: .max)),
        DataCacheMetadata(
            url: String(repeating: "u", count: 100_000), entityTag: "\u{0}\n",
            freshness: CacheFreshness(validatedAt: -1, lifetime: -1)),
    ]
    private static let keys = [
        DataCacheKey(group: ""), DataCacheKey(group: "", variant: [0]),
        DataCacheKey(group: "a", variant: Array("b".utf8)), DataCacheKey(group: "ab"),
        DataCacheKey(group: "../../../etc/passwd\u{0}", variant: [0, 0xFF]),
        DataCacheKey(group: String(repeating: "long ", count: 100_000), variant: Array(repeating: 7, count: 5000)),
    ]

    @Test("A stored entry is read back", arguments: [0, 1, 900, 4096, 1_000_000])
    func givesBackWhatItWasGiven(count: Int) async throws {
        let cache = DataCache(directory: folder.path)
        for (index, key) in Self.keys.enumerated() {
            let entry = DataCacheEntry.sample(
                UInt64(index), count: count, metadata: Self.metadata[index % Self.metadata.count])
            await cache.store(entry, for: key)
        }
        await cache.flush()
        // By this one, and by one that was opened later.
        for cache in [cache, DataCache(directory: folder.path)] {
            for (index, key) in Self.keys.enumerated() {
                let metadata = Self.metadata[index % Self.metadata.count]
                let entry = DataCacheEntry.sample(UInt64(index), count: count, metadata: metadata)
                let found = try #require(await cache.entry(for: key))
                #expect(found.isEqual(entry))
                #expect(found.data.startIndex == 0)
                #expect(await cache.metadata(for: key) == metadata)
            }
            #expect(await cache.entry(for: DataCacheKey(group: "other")) == nil)
            #expect(await cache.metadata(for: DataCacheKey(group: "a")) == nil)
        }
        #expect(cache.failureCount == 0 && cache.lastError == nil)
    }

    @Test("The last of several entries for a key is kept")
    func keepsTheLastOfSeveral() async throws {
        let cache = DataCache(directory: folder.path)
        for round in 0..<20 as Range<UInt64> {
            await cache.store(.sample(round, count: Int(round) * 100), for: key)
            #expect(await cache.entry(for: key)?.data.count == Int(round) * 100)
        }
        await cache.flush()
        #expect(await DataCache(directory: folder.path).entry(for: key)?.isEqual(.sample(19, count: 1900)) == true)
        #expect(try folder.entryFiles().count == 1)
    }

    @Test("Entries that aren't written yet are found")
    func givesBackWhatIsntWrittenYet() async throws {
        let cache = DataCache(directory: folder.path)
        await cache.hold()
        await cache.store(.sample(1), for: key)
        #expect(await cache.entry(for: key)?.isEqual(.sample(1)) == true)
        await cache.store(.sample(2), for: key)
        let freshness = CacheFreshness(validatedAt: 77, lifetime: 7)
        await cache.update(freshness, for: key)
        #expect(await cache.entry(for: key)?.data == DataCacheEntry.sample(2).data)
        #expect(await cache.metadata(for: key)?.freshness == freshness)
        #expect(try folder.entryFiles() == [])
        cache.writer.resume()
        await cache.flush()
        let found = try #require(await DataCache(directory: folder.path).entry(for: key))
        #expect(found.data == DataCacheEntry.sample(2).data && found.metadata.freshness.validatedAt == 77)
    }

    @Test("Storing and removing happen in order")
    func storesRemovesAndStoresInOrder() async throws {
        let cache = DataCache(directory: folder.path)
        await cache.hold()
        await cache.store(.sample(1), for: key)
        let removal = Task { [key] in await cache.remove(for: key) }
        while await cache.entry(for: key) != nil { await Task.yield() }
        await cache.store(.sample(3), for: key)
        cache.writer.resume()
        await removal.value
        #expect(await cache.entry(for: key)?.isEqual(.sample(3)) == true)
        await cache.flush()
        #expect(await DataCache(directory: folder.path).entry(for: key)?.isEqual(.sample(3)) == true)
    }

    @Test("Storing waits when too much is unwritten")
    func waitsWhereMuchIsUnwritten() async throws {
        let cache = DataCache(directory: folder.path)
        let large = DataCacheEntry(data: Data(count: 20 << 20), metadata: Self.metadata[0])
        let other = DataCacheKey(group: "other")
        await cache.hold()
        await cache.store(large, for: key)
        #expect(cache.waitingCount == 0)
        let second = Task { await cache.store(large, for: other) }
        while cache.waitingCount == 0 { await Task.yield() }
        #expect(await cache.entry(for: other)?.data.count == 20 << 20)
        cache.writer.resume()
        await second.value
        await cache.flush()
        #expect(cache.waitingCount == 0)
        #expect(await cache.entry(for: other)?.data.count == 20 << 20)
    }

    @Test("The variants of an entry are removed together")
    func removesVariantsTogether() async throws {
        let cache = DataCache(directory: folder.path)
        for group in ["a", "b", "c"] {
            for variant in 0..<5 as Range<UInt8> {
                await cache.store(.sample(), for: DataCacheKey(group: group, variant: [variant]))
            }
        }
        await cache.flush()
        await cache.store(.sample(), for: DataCacheKey(group: "a", variant: [9]))
        await cache.removeAll(in: "a")
        for variant in [0, 1, 2, 3, 4, 9] as [UInt8] {
            #expect(await cache.entry(for: DataCacheKey(group: "a", variant: [variant])) == nil)
        }
        #expect(try folder.entryFiles().count == 10)
        let one = DataCacheKey(group: "b", variant: [3])
        await cache.remove(for: one)
        #expect(await cache.entry(for: one) == nil)
        #expect(try folder.entryFiles().count == 9)
        await cache.removeAll()
        #expect(try folder.entryFiles() == [])
        #expect(await cache.entry(for: DataCacheKey(group: "c", variant: [0])) == nil)
        // And goes on.
        await cache.store(.sample(), for: one)
        await cache.flush()
        #expect(await cache.entry(for: one) != nil)
    }

    @Test("Revalidation doesn't rewrite the bytes")
    func confirmsWithoutWritingTheBytesAgain() async throws {
        let cache = DataCache(directory: folder.path)
        await cache.store(.sample(1, count: 50_000), for: key)
        await cache.flush()
        let path = cache.folder.path(of: key)
        let number = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
        for round in 1...10 as ClosedRange<Int64> {
            let freshness = CacheFreshness(validatedAt: 1000 * round, lifetime: -round)
            await cache.update(freshness, for: key)
            let found = try #require(await cache.entry(for: key))
            #expect(found.metadata.freshness == freshness)
            #expect(found.data == DataCacheEntry.sample(1, count: 50_000).data)
        }
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int == number)
        // Where there is nothing, nothing is made.
        await cache.update(CacheFreshness(validatedAt: 1, lifetime: 1), for: DataCacheKey(group: "none"))
        #expect(try folder.entryFiles().count == 1)
    }

    /// FNV-1a's own test vectors (RFC 9923): a later version finds what an earlier one stored.
    @Test(
        "File names are the same in every run",
        arguments: [
            ("", "6c62272e07bb014262b821756295c58d"), ("a", "d228cb696f1a8caf78912b704e4a8964"),
            ("foobar", "343e1662793c64bf6f0d3597ba446f18"),
        ])
    func namesFilesAlike(group: String, hash: String) {
        let path = DataCache(directory: folder.path).folder.path(of: DataCacheKey(group: group))
        #expect(path == "\(folder.path)/\(hash.suffix(2))/\(hash)-0eda065b652ec4cf")
    }

    @Test("Entries are spread over the folders")
    func spreadsEntriesOverItsFolders() async throws {
        var counts: [Substring: Int] = [:]
        let cache = DataCache(directory: folder.path)
        for index in 0..<10_000 {
            let path = cache.folder.path(of: DataCacheKey(group: "https://example.org/pictures/\(index).jpg"))
            counts[path.split(separator: "/").dropLast().last ?? "", default: 0] += 1
        }
        #expect(counts.count == 256)
        #expect(counts.values.allSatisfy { $0 < 80 })
    }
}
