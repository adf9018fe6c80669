import Foundation
import ImageLoading
import Raster
import Testing
import TestSupport

/// What is given up, and when.
@Suite("The data cache: limits")
struct DataCacheLimitTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func key(_ index: Int) -> DataCacheKey { DataCacheKey(group: "\(index)") }

    private func present(_ cache: DataCache, of count: Int) async -> [Int] {
        var found: [Int] = []
        for index in 0..<count where await cache.metadata(for: key(index)) != nil { found.append(index) }
        return found
    }

    @Test("The least recently used entries are removed beyond the limit")
    func keepsToItsLimitAndGivesUpWhatWasUsedLongestAgo() async throws {
        // Twenty entries of a block each.
        let cache = DataCache(directory: folder.path, byteLimit: 20 * 4096)
        for index in 0..<20 { await cache.store(.sample(UInt64(index)), for: key(index)) }
        await cache.flush()
        #expect(await present(cache, of: 20).count == 20)
        for index in 0..<20 { setTimes(cache.folder.path(of: key(index)), used: 10_000 - index) }
        // Looking at an old one makes it new, also when only what is known of it is asked for; counting doesn't.
        #expect(await cache.statistics().all.entryCount == 20)
        #expect(await cache.entry(for: key(2)) != nil)
        #expect(await cache.metadata(for: key(3)) != nil)
        await cache.store(.sample(), for: key(20))
        await cache.flush()
        // A tenth less than the limit.
        #expect(await present(cache, of: 21) == [2, 3] + Array(5...20))
        #expect(await cache.statistics().byteCountOnDisk == 18 * 4096)
        for index in 21..<200 {
            await cache.store(.sample(UInt64(index)), for: key(index))
            await cache.flush()
            #expect(await cache.statistics().byteCountOnDisk <= 20 * 4096)
        }
        #expect(await cache.entry(for: key(199)) != nil)
    }

    /// Several are stored within one tick of the clock by which the system dates files.
    @Test("Of entries stored together, the oldest are removed")
    func givesUpTheOldestOfThoseThatWereStoredAtOnce() async throws {
        let cache = DataCache(directory: folder.path, byteLimit: 60 * 4096)
        for index in 0...60 { await cache.store(.sample(UInt64(index)), for: key(index)) }
        await cache.flush()
        #expect(await present(cache, of: 61) == Array(7...60))
    }

    @Test("An entry beyond the limit isn't stored")
    func keepsNoEntryBeyondItsLimit() async throws {
        let cache = DataCache(directory: folder.path, byteLimit: 40_960)
        await cache.store(.sample(1, count: 10), for: key(1))
        await cache.store(.sample(2, count: 10), for: key(2))
        await cache.store(.sample(2, count: 50_000), for: key(2))
        await cache.flush()
        // What was there before is out of date.
        #expect(await cache.entry(for: key(2)) == nil)
        #expect(await cache.entry(for: key(1)) != nil)
        #expect(cache.failureCount == 1)
        #expect(cache.lastError?.code == .limitExceeded)
        // One that takes all of it takes it from the others.
        await cache.store(.sample(3, count: 40_000), for: key(3))
        await cache.flush()
        #expect(await present(cache, of: 4) == [3])
        await cache.store(.sample(), for: DataCacheKey(group: String(repeating: "x", count: 1 << 20)))
        await cache.flush()
        #expect(cache.failureCount == 2)
    }

    @Test("The limit can be changed")
    func itsLimitCanBeChanged() async throws {
        let cache = DataCache(directory: folder.path, byteLimit: 40 * 4096)
        for index in 0..<40 { await cache.store(.sample(UInt64(index)), for: key(index)) }
        await cache.flush()
        cache.byteLimit = 10 * 4096
        #expect(cache.byteLimit == 10 * 4096)
        await cache.flush()
        #expect(await present(cache, of: 40) == Array(31..<40))
        #expect(await cache.statistics().byteLimit == 10 * 4096)
        cache.byteLimit = 100 * 4096
        for index in 40..<120 { await cache.store(.sample(UInt64(index)), for: key(index)) }
        await cache.flush()
        #expect(await present(cache, of: 120) == Array(31..<120))
        cache.byteLimit = -1
        await cache.flush()
        #expect(cache.byteLimit == 0)
        #expect(await cache.statistics().all.entryCount == 0)
    }

    @Test("A limit of zero stores nothing")
    func keepsNothingWithoutRoom() async {
        let cache = DataCache(directory: folder.path, byteLimit: 0)
        await cache.store(.sample(), for: key(0))
        await cache.flush()
        #expect(await cache.entry(for: key(0)) == nil)
    }

    @Test("Opening a folder trims it to the limit")
    func trimsWhatItFindsWhenOpened() async throws {
        let first = DataCache(directory: folder.path)
        for index in 0..<50 { await first.store(.sample(), for: key(index)) }
        await first.flush()
        for index in 0..<50 { setTimes(first.folder.path(of: key(index)), used: 1000 - index) }
        let second = DataCache(directory: folder.path, byteLimit: 10 * 4096)
        await second.flush()
        #expect(await present(second, of: 50) == Array(41..<50))
    }

    @Test("Expired entries are removed")
    func givesUpWhatIsOld() async throws {
        let cache = DataCache(directory: folder.path, maximumAge: .seconds(86_400))
        for index in 0..<4 { await cache.store(.sample(), for: key(index)) }
        await cache.flush()
        for index in 0..<3 { setTimes(cache.folder.path(of: key(index)), written: 90_000) }
        #expect(await cache.entry(for: key(0)) == nil)
        // Its server's word makes one young again.
        await cache.update(CacheFreshness(validatedAt: 5, lifetime: 5), for: key(1))
        #expect(await cache.entry(for: key(1)) != nil)
        await cache.flush()
        #expect(try folder.entryFiles().count == 3)
        await DataCache(directory: folder.path, maximumAge: .seconds(86_400)).flush()
        #expect(await present(cache, of: 4) == [1, 3])
        #expect(try folder.entryFiles().count == 2)
    }

    @Test("Entries written by others are found")
    func seesWhatOthersWrite() async throws {
        let (one, other) = (
            DataCache(directory: folder.path, byteLimit: 64 * 4096),
            DataCache(directory: folder.path, byteLimit: 64 * 4096)
        )
        for index in 0..<400 { await (index % 2 == 0 ? one : other).store(.sample(UInt64(index)), for: key(index)) }
        await one.flush()
        await other.flush()
        // Each counts again when it has written an eighth of the limit.
        #expect(await one.statistics().byteCountOnDisk <= (64 + 2 * 9) * 4096)
        // They write at the same time: the newest of all is the last of the one that ends later.
        let ofOther = await one.entry(for: key(399))
        let ofOne = await other.entry(for: key(398))
        #expect(ofOther != nil || ofOne != nil)
        #expect(ofOther?.isEqual(.sample(399)) != false && ofOne?.isEqual(.sample(398)) != false)
    }

    @Test("The cache reports its size and count")
    func tellsWhatItHolds() async throws {
        let cache = DataCache(directory: folder.path, byteLimit: 1 << 20)
        let freshness = CacheFreshness(validatedAt: 0, lifetime: 0)
        for (index, type) in ["image/png", "image/png", "image/jpeg", nil].enumerated() {
            let key = DataCacheKey(group: "\(index % 3)", variant: [UInt8(index)])
            await cache.store(
                .sample(count: 5000, metadata: DataCacheMetadata(mimeType: type, freshness: freshness)), for: key)
        }
        await cache.flush()
        setTimes(cache.folder.path(of: DataCacheKey(group: "1", variant: [1])), written: 5000)
        let statistics = await cache.statistics()
        #expect(statistics.all.entryCount == 4 && statistics.all.byteCount > 20_000)
        #expect(statistics.groupCount == 3)
        #expect(statistics.byteCountOnDisk == 4 * 8192)
        #expect(statistics.mediaTypes.mapValues(\.entryCount) == ["image/png": 2, "image/jpeg": 1, "": 1])
        #expect(statistics.byteLimit == 1 << 20)
        let (oldest, newest) = (try #require(statistics.oldest), try #require(statistics.newest))
        // Less by as long as the writing took.
        #expect((1...5100).contains(newest - oldest))
        #expect(statistics.damagedCount == 0)
    }
}
