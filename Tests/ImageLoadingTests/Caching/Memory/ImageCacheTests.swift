#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import ImageFormats
import ImageLoading
import ImageLoadingTestSupport
import Raster
import TestSupport
import Testing

@Suite("The image cache")
struct ImageCacheTests {
    private static func makeCache(
        costLimit: Int = 1 << 20, countLimit: Int = .max, ttl: Duration? = nil, clock: ManualClock = ManualClock()
    ) -> ImageCache {
        ImageCache(costLimit: costLimit, countLimit: countLimit, ttl: ttl, now: { clock.now })
    }

    private static func kept(_ names: [String], in cache: ImageCache) -> [String] {
        names.filter { !cache.keys(in: $0).isEmpty }
    }

    @Test("Stored images are found, and removed ones aren't")
    func keepsAndForgets() throws {
        let cache = Self.makeCache()
        #expect(cache[.named("a")] == nil)
        cache[.named("a")] = try .ofRows(3)
        #expect(cache[.named("a")]?.image.size.height == 3)
        cache[.named("a")] = try .ofRows(5)
        #expect(cache[.named("a")]?.image.size.height == 5)
        #expect(cache.statistics.cost == 5 * 64)
        cache[.named("a")] = nil
        #expect(cache[.named("a")] == nil)
        cache[.named("a")] = nil
        let statistics = cache.statistics
        #expect((statistics.hits, statistics.misses) == (2, 2))
        #expect((statistics.cost, statistics.count, statistics.evictions) == (0, 0, 0))
    }

    @Test("Cost and count are tracked")
    func countsWhatIsHeld() throws {
        let cache = Self.makeCache()
        var container = try ImageContainer.ofRows(2)
        container.data = Data(repeating: 0, count: 100)
        cache[.named("attached")] = container
        #expect(cache.statistics.cost == 228)
        let file = try ImageDestination(format: .png).encode(container.image.bitmap())
        let deferred = try ImageSource.image(file)
        cache[.named("deferred")] = ImageContainer(image: deferred)
        #expect(cache.statistics.cost == 228 + file.count)
    }

    @Test("An invalid cost doesn't disturb the total", arguments: [-5, Int.min, Int.max])
    func isNotFooledByACostThatIsNone(_ byteCount: Int) throws {
        struct Liar: BitmapProvider {
            let byteCount: Int
            var info: BitmapInfo { BitmapInfo(size: PixelSize(width: 1, height: 1), format: .gray8) }
            func makeBitmap(_ plan: DecodingPlan) throws(ImageError) -> Bitmap { try MutableBitmap(info).freeze() }
        }
        let cache = Self.makeCache()
        cache[.named("a")] = try .ofRows(1)
        var container = ImageContainer(image: Image(deferred: Liar(byteCount: byteCount)))
        container.data = Data(repeating: 0, count: 10)
        #expect(cache.store(container, for: .named("liar")) == (byteCount < 0))
        #expect(cache.statistics.cost == (byteCount < 0 ? 74 : 64))
    }

    @Test("Images that weren't read are evicted first")
    func letsGoOfWhatWasNotRead() throws {
        let cache = Self.makeCache(countLimit: 3)
        let names = ["a", "b", "c", "d", "e", "f"]
        for name in names[..<3] { cache[.named(name)] = try .ofRows(1) }
        _ = cache[.named("a")]
        cache[.named("d")] = try .ofRows(1)
        #expect(Self.kept(names, in: cache) == ["a", "c", "d"])
        // The mark was a's second chance; it has none left.
        cache[.named("e")] = try .ofRows(1)
        cache[.named("f")] = try .ofRows(1)
        #expect(Self.kept(names, in: cache) == ["d", "e", "f"])
        #expect(cache.statistics.evictions == 3)
    }

    @Test("New images don't displace images that were read")
    func newcomersDoNotGoForThoseThatWereRead() throws {
        let cache = Self.makeCache(countLimit: 2)
        for name in ["a", "b"] {
            cache[.named(name)] = try .ofRows(1)
            _ = cache[.named(name)]
        }
        cache[.named("c")] = try .ofRows(1)
        #expect(cache[.named("c")] != nil)
        #expect(cache.statistics.count == 2)
    }

    /// The same as a list that is looked through from its front.
    @Test("Eviction follows the clock algorithm", arguments: [1, 2, 3] as [UInt64]) func isClock(_ seed: UInt64) throws
    {
        var random = SeededGenerator(seed)
        let cache = Self.makeCache(costLimit: 64 * 20, countLimit: 12)
        cache.entryCostLimit = 1
        var model: [(name: String, rows: Int, isMarked: Bool)] = []
        let containers = try (1...5).map { try ImageContainer.ofRows($0) }
        for step in 0..<3000 {
            let name = "\(UInt64.random(in: 0..<30, using: &random))"
            let index = model.firstIndex { $0.name == name }
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                #expect(cache[.named(name)]?.image.size.height == index.map { model[$0].rows }, "step \(step)")
                if let index { model[index].isMarked = true }
            case 5..<9:
                let rows = Int.random(in: 1...5, using: &random)
                cache[.named(name)] = containers[rows - 1]
                if let index { model.remove(at: index) }
                while model.count >= 12 || model.reduce(rows, { $0 + $1.rows }) > 20 {
                    let first = model.removeFirst()
                    if first.isMarked { model.append((first.name, first.rows, false)) }
                }
                model.append((name, rows, false))
            default:
                cache[.named(name)] = nil
                if let index { model.remove(at: index) }
            }
            let statistics = cache.statistics
            #expect(statistics.count == model.count && statistics.cost == 64 * model.reduce(0) { $0 + $1.rows })
        }
        #expect(cache.statistics.evictions > 100)
    }

    @Test("An image beyond the limit is refused, and its old version removed")
    func refusesWhatIsTooLargeAndForgetsTheOld() throws {
        let cache = Self.makeCache(costLimit: 64 * 100)
        #expect(cache.store(try .ofRows(10), for: .named("a")))
        #expect(!cache.store(try .ofRows(11), for: .named("a")))
        #expect(cache[.named("a")] == nil)
        #expect(cache.statistics.refusals == 1)
        cache.entryCostLimit = 0.5
        #expect(cache.store(try .ofRows(50), for: .named("a")))
        cache.entryCostLimit = 7
        #expect(!cache.store(try .ofRows(101), for: .named("b")))
        #expect(cache.store(try .ofRows(100), for: .named("b")))
        #expect(Self.kept(["a", "b"], in: cache) == ["b"])
        cache.entryCostLimit = .nan
        #expect(!cache.store(try .ofRows(1), for: .named("c")))
    }

    @Test("A limit of zero stores nothing")
    func nothingFitsWhereNothingMayBe() throws {
        for cache in [Self.makeCache(costLimit: 0), Self.makeCache(costLimit: -1), Self.makeCache(countLimit: 0)] {
            cache[.named("a")] = try .ofRows(1)
            #expect(cache.statistics.count == 0)
            #expect(cache.statistics.refusals == 1)
        }
    }

    @Test("Lower limits apply at once")
    func lowerLimitsHoldAtOnce() throws {
        let cache = Self.makeCache()
        for index in 0..<10 { cache[.named("\(index)")] = try .ofRows(1) }
        cache.countLimit = 8
        #expect(cache.statistics.count == 8)
        cache.costLimit = 64 * 5
        #expect(cache.statistics.count == 5)
        cache.trim(toCost: 64 * 4 + 63)
        #expect(cache.statistics.count == 4)
        cache.trim(toCount: 3)
        #expect(cache.statistics.count == 3)
        cache.trim(toCost: -1)
        #expect(cache.statistics.count == 0)
        cache.trim(toCount: -1)
        cache.removeAll()
        #expect(cache.statistics.cost == 0)
    }

    @Test("Images expire")
    func picturesGrowOld() throws {
        let clock = ManualClock()
        let cache = Self.makeCache(ttl: .seconds(10), clock: clock)
        cache[.named("a")] = try .ofRows(1)
        cache.store(try .ofRows(1), for: .named("b"), ttl: .seconds(20))
        clock.advance(by: .seconds(9))
        #expect(cache[.named("a")] != nil)
        clock.advance(by: .seconds(1))
        #expect(cache.keys(in: "a").isEmpty)
        #expect(cache[.named("a")] == nil)
        #expect(cache[.named("b")] != nil)
        #expect(cache.statistics.count == 1)
        #expect((cache.statistics.hits, cache.statistics.misses) == (2, 1))
        cache.ttl = nil
        cache[.named("a")] = try .ofRows(1)
        clock.advance(by: .seconds(1 << 30))
        #expect(cache[.named("a")] != nil)
        #expect(cache[.named("b")] == nil)
    }

    @Test("Expired images are evicted first")
    func theOldGoFirst() throws {
        let clock = ManualClock()
        let cache = Self.makeCache(countLimit: 2, clock: clock)
        cache.store(try .ofRows(1), for: .named("old"), ttl: .seconds(1))
        cache[.named("new")] = try .ofRows(1)
        _ = cache[.named("old")]
        clock.advance(by: .seconds(2))
        cache[.named("newer")] = try .ofRows(1)
        #expect(Self.kept(["old", "new", "newer"], in: cache) == ["new", "newer"])
    }

    @Test("The variants of an image are listed")
    func knowsTheVariantsOfAPicture() throws {
        let cache = Self.makeCache()
        let keys = (1...4).map { ImageCacheKey(group: "a", scale: Double($0)) }
        for key in keys { cache[key] = try .ofRows(1) }
        cache[.named("b")] = try .ofRows(1)
        #expect(Set(cache.keys(in: "a")) == Set(keys))
        for index in [1, 3, 0] {
            cache[keys[index]] = nil
            #expect(!cache.keys(in: "a").contains(keys[index]))
        }
        #expect(cache.keys(in: "a") == [keys[2]])
        cache[keys[2]] = nil
        #expect(cache.keys(in: "a").isEmpty)
        #expect(cache.keys(in: "b") == [.named("b")])
        #expect(cache.keys(in: "c").isEmpty)
        cache.removeAll()
        #expect(cache.keys(in: "b").isEmpty)
    }

    /// Something that asks the cache while it goes.
    private final class Asking: Sendable {
        let cache: ImageCache
        let asked: @Sendable () -> Void
        init(_ cache: ImageCache, _ asked: @escaping @Sendable () -> Void) { (self.cache, self.asked) = (cache, asked) }
        deinit {
            _ = cache.statistics
            cache[.named("from within")] = nil
            asked()
        }
    }

    @Test("Images are released outside the lock")
    func letsGoOutsideOfItsLock() async throws {
        let clock = ManualClock()
        let cache = Self.makeCache(countLimit: 2, clock: clock)
        await confirmation(expectedCount: 6) { confirmed in
            func fill(ttl: Duration? = nil) throws {
                var container = try ImageContainer.ofRows(1)
                container.userInfo = ["asking": Asking(cache) { confirmed() }]
                cache.store(container, for: .named("a"), ttl: ttl)
            }
            #expect(throws: Never.self) {
                try fill()
                cache[.named("a")] = nil
                try fill()
                cache[.named("a")] = try .ofRows(1)
                try fill()
                cache.removeAll()
                try fill()
                cache.trim(toCount: 0)
                try fill()
                for name in ["b", "c"] { cache[.named(name)] = try .ofRows(1) }
                cache.removeAll()
                try fill(ttl: .seconds(1))
                clock.advance(by: .seconds(1))
                #expect(cache[.named("a")] == nil)
            }
        }
    }

    @Test("A memory pressure source doesn't keep the cache alive")
    func pressureDoesNotKeepACache() {
        let pressure = ManualMemoryPressure()
        weak var remembered: ImageCache?
        do {
            let cache = ImageCache(memoryPressure: pressure)
            remembered = cache
            #expect(pressure.listenerCount == 1)
        }
        #expect(remembered == nil)
        #expect(pressure.listenerCount == 0)
        pressure.tell(.critical)
    }

    @Test("Concurrent access is safe")
    func manyThreadsMayAsk() async throws {
        let cache = ImageCache(costLimit: 64 * 50, memoryPressure: nil)
        cache.entryCostLimit = 1
        let container = try ImageContainer.ofRows(1)
        await withTaskGroup(of: Void.self) { group in
            for seed in 0..<4 {
                group.addTask {
                    var random = SeededGenerator(UInt64(seed))
                    for _ in 0..<2000 {
                        let key = ImageCacheKey.named("\(Int.random(in: 0..<100, using: &random))")
                        switch Int.random(in: 0..<20, using: &random) {
                        case 0: cache[key] = nil
                        case 1: cache.trim(toCount: 40)
                        case 2: _ = cache.keys(in: key.group)
                        case 3..<10: cache[key] = container
                        default: _ = cache[key]
                        }
                    }
                }
            }
        }
        let statistics = cache.statistics
        #expect(statistics.cost == 64 * statistics.count)
        #expect(statistics.count <= 50)
    }

    @Test("The default limit is a share of the memory")
    func takesNoMoreThanItsShare() {
        let limit = ImageCache.defaultCostLimit
        #expect(limit > 0 && limit <= 768 << 20)
    }
}
