import ImageEffects
import ImageLoading
import ImageLoadingTestSupport
import ImageViews
import Raster
import Testing

@MainActor @Suite("The cache of processed images")
struct ProcessedImageCacheTests {
    private let fixture = EffectFixture()
    private let log = EventLog<String>()

    /// The bytes of a picture of 8 × 8 pixels, whose rows begin at multiples of 64.
    private let pictureBytes = 8 * 64

    @Test("Everything that changes the result is part of the key")
    func whatMakesADifferenceIsPartOfTheKey() throws {
        let image = try Image.plain(90)
        let changes: [(EffectImageView) throws -> Void] = [
            { _ in },
            { $0.size = ViewSize(width: 8, height: 9) },
            { $0.scale = 2 },
            { $0.contentMode = .aspectFit },
            { $0.cornerRadius = 1 },
            { $0.shadowBlur = 1 },
            { $0.shadowOffset = ViewSize(width: 1, height: 0) },
            { ($0.shadowBlur, $0.shadowColor) = (1, RGBA8(255, 0, 0)) },
            { ($0.reflectionScale, $0.reflectionAlpha) = (0.5, 0.5) },
            { ($0.reflectionScale, $0.reflectionAlpha, $0.reflectionGap) = (0.5, 0.5, 1) },
            { $0.customEffects = .noting("a", in: log) },
            { $0.customEffects = .noting("b", in: log) },
            { $0.image = try .plain(90) },
        ]
        for (index, change) in changes.enumerated() {
            for _ in 0..<2 {
                let view = fixture.view()
                view.image = image
                try change(view)
                #expect(view.processedImage != nil)
                if index == changes.count - 1 { break }
            }
            #expect(fixture.cache.count == index + 1)
        }
        #expect(log.events == ["a", "b"], "the identifier says whether it's the same")
    }

    @Test("A custom cache key replaces only the source's part of the key")
    func aKeyOfTheProgramsReplacesOnlyTheSources() throws {
        func red(_ value: Int, _ key: String?, _ change: (EffectImageView) -> Void = { _ in }) throws -> Int? {
            let view = fixture.view()
            view.cacheKey = key
            view.image = try .plain(value)
            change(view)
            return view.shownRed
        }
        #expect(try red(10, "first") == 10)
        #expect(try red(20, "first") == 10, "made on the fly, and the same by its key")
        #expect(try red(30, "second") == 30)
        #expect(try red(40, nil) == 40)
        #expect(
            try red(50, "first") {
                $0.cornerRadius = 1; $0.contentMode = .aspectFill
            } != 10)
        #expect(try red(60, "first") { $0.size = ViewSize(width: 4, height: 4) } == 60)
    }

    @Test("A custom cache key applies to the image that it is set with")
    func aKeyGoesWithThePictureItIsSetWith() async throws {
        for keyComesFirst in [true, false] {
            let view = fixture.view()
            view.cacheKey = "one \(keyComesFirst)"
            view.image = try .plain(10)
            #expect(view.shownRed == 10)
            if keyComesFirst {
                view.cacheKey = "two \(keyComesFirst)"
                #expect(view.shownRed == 10)
                await Task.yield()
                view.image = try .plain(20)
            } else {
                view.image = try .plain(20)
                view.cacheKey = "two \(keyComesFirst)"
            }
            #expect(view.shownRed == 20)
            let other = fixture.view()
            other.cacheKey = "two \(keyComesFirst)"
            other.image = try .plain(30)
            #expect(other.shownRed == 20)
            other.cacheKey = "one \(keyComesFirst)"
            other.image = try .plain(40)
            #expect(other.shownRed == 10)
        }
    }

    @Test("The cache stays within its limit")
    func isBounded() throws {
        let view = fixture.view()
        fixture.cache.byteLimit = 3 * pictureBytes
        for value in 0..<10 {
            view.image = try .plain(value)
            #expect(view.shownRed == value)
            #expect(fixture.cache.byteCount <= 3 * pictureBytes)
        }
        #expect(fixture.cache.count == 3)
        #expect(fixture.cache.byteCount == 3 * pictureBytes)
        fixture.cache.countLimit = 2
        #expect(fixture.cache.count == 2)
        view.size = ViewSize(width: 100, height: 100)
        #expect(view.processedImage?.size.width == 100)
        #expect(fixture.cache.count == 2, "what is larger than all of it isn't taken")
        fixture.cache.removeAll()
        #expect((fixture.cache.count, fixture.cache.byteCount) == (0, 0))
        #expect(view.processedImage?.size.width == 100)
    }

    @Test("The cache is emptied when memory is short", arguments: [true, false]) func isEmptyOnceMemoryIsShort(
        isCritical: Bool
    ) throws {
        let pressure = ManualMemoryPressure()
        let cache = ProcessedImageCache(memoryPressure: pressure)
        let view = EffectImageView(queue: fixture.queue, cache: cache)
        view.size = ViewSize(width: 8, height: 8)
        view.image = try .plain(90)
        #expect(view.shownRed == 90)
        #expect(cache.count == 1)
        pressure.tell(isCritical ? .critical : .warning)
        #expect(cache.count == 0)
        #expect(view.shownRed == 90, "what is on view stays there")
    }

    @Test("A deallocated cache no longer listens for memory pressure")
    func nobodyListensForACacheThatIsGone() {
        let pressure = ManualMemoryPressure()
        var cache: ProcessedImageCache? = ProcessedImageCache(memoryPressure: pressure)
        #expect(cache?.count == 0)
        #expect(pressure.listenerCount == 1)
        cache = nil
        #expect(pressure.listenerCount == 0)
    }
}
