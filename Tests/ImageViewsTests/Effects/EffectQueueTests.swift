import ImageEffects
import ImageViews
import Raster
import TestSupport
import Testing

@MainActor @Suite("The queue of effects")
struct EffectQueueTests {
    private let log = EventLog<String>()

    /// Views that each have asked for a picture of their own.
    private func views(_ count: Int, _ fixture: EffectFixture) throws -> [EffectImageView] {
        try (0..<count).map { number in
            let view = fixture.view(asynchronous: true)
            view.customEffects = .noting("\(number)", in: log)
            view.image = try .plain(number)
            view.updateIfNeeded()
            return view
        }
    }

    @Test("The newest request is processed first")
    func whatWasAskedForLastComesFirst() async throws {
        let fixture = EffectFixture(width: 0)
        let shown = EventLog<Int>()
        let views = try views(8, fixture)
        #expect(fixture.queue.waitingCount == 8)
        // One that has been asked for long ago is asked for again.
        views[2].cornerRadius = 1
        views[2].updateIfNeeded()
        #expect(fixture.queue.waitingCount == 8)
        let watchers = views.enumerated().map { number, view in
            Task {
                await view.waitForPicture(number)
                shown.append(number)
            }
        }
        fixture.queue.width = 1
        for watcher in watchers { await watcher.value }
        #expect(log.events == ["2", "7", "6", "5", "4", "3", "1", "0"])
        #expect(shown.events.count == 8)
    }

    /// They are updated by the main loop in any order; what counts is when they were asked.
    @Test("The order of processing is that of the requests, not of the settings")
    func theOrderIsThatOfAsking() async throws {
        let fixture = EffectFixture(width: 0)
        let views = (0..<3).map { _ in fixture.view(asynchronous: true) }
        for (number, view) in views.enumerated() {
            view.customEffects = .noting("\(number)", in: log)
            view.image = try .plain(number)
        }
        for view in views.reversed() { view.updateIfNeeded() }
        fixture.queue.width = 1
        for (number, view) in views.enumerated() { await view.waitForPicture(number) }
        #expect(log.events == ["2", "1", "0"])
    }

    @Test("Four operations run concurrently, or as many as set")
    func fourAtATimeMoreOrAll() async throws {
        let (queue, hold) = (EffectQueue(), Hold())
        #expect(queue.width == 4)
        let fixture = EffectFixture()
        let views = try (0..<9).map { number in
            let view = fixture.view(asynchronous: true)
            view.customEffects = .holding("\(number)", hold)
            view.image = try .plain(number)
            view.updateIfNeeded()
            return view
        }
        await hold.waitForArrivals(4)
        #expect(fixture.queue.runningCount == 4)
        #expect(fixture.queue.waitingCount == 5)
        fixture.queue.width = 5
        await hold.waitForArrivals(5)
        #expect(fixture.queue.runningCount == 5)
        fixture.queue.width = nil
        await hold.waitForArrivals(9)
        #expect(fixture.queue.runningCount == 9)
        hold.release(9)
        for (number, view) in views.enumerated() { await view.waitForPicture(number) }
        await fixture.drain()
        fixture.queue.width = -3
        #expect(fixture.queue.width == 0)
    }

    @Test("A narrower queue lets running operations end")
    func aNarrowerQueueLetsWhatRunsEnd() async throws {
        let (fixture, hold) = (EffectFixture(width: 2), Hold())
        let views = try (0..<4).map { number in
            let view = fixture.view(asynchronous: true)
            view.customEffects = .holding("\(number)", hold)
            view.image = try .plain(number)
            view.updateIfNeeded()
            return view
        }
        await hold.waitForArrivals(2)
        fixture.queue.width = 1
        hold.release()
        while fixture.queue.runningCount > 1 { await Task.yield() }
        #expect(fixture.queue.waitingCount == 2)
        #expect(hold.arrivedCount == 2)
        hold.release()
        await hold.waitForArrivals(3)
        #expect(fixture.queue.runningCount == 1)
        hold.release(2)
        for (number, view) in views.enumerated() { await view.waitForPicture(number) }
    }

    @Test("Equal operations run once")
    func equalWorkIsDoneOnce() async throws {
        let (fixture, hold) = (EffectFixture(), Hold())
        let image = try Image.plain(90)
        func ask() -> EffectImageView {
            let view = fixture.view(asynchronous: true)
            view.customEffects = Effects.Custom(identifier: "same") { [log] (image) throws(ImageError) in
                log.append("begun")
                hold.pass()
                return image
            }
            view.image = image
            view.updateIfNeeded()
            return view
        }
        let first = ask()
        await hold.waitForArrivals(1)
        let (second, third) = (ask(), ask())
        #expect(fixture.queue.runningCount == 1)
        #expect(fixture.queue.waitingCount == 0)
        hold.release()
        for view in [first, second, third] { await view.waitForPicture(90) }
        #expect(log.events == ["begun"])
    }

    @Test("A shared operation moves to the place of its latest request")
    func equalWorkIsAsUrgentAsTheLastWhoAsked() async throws {
        let fixture = EffectFixture(width: 0)
        let views = try views(3, fixture)
        let late = fixture.view(asynchronous: true)
        late.customEffects = views[0].customEffects
        late.image = views[0].image
        late.updateIfNeeded()
        #expect(fixture.queue.waitingCount == 3)
        fixture.queue.width = 1
        for (number, view) in views.enumerated() { await view.waitForPicture(number) }
        await late.waitForPicture(0)
        #expect(log.events == ["0", "2", "1"])
    }

    @Test("An operation that nobody waits for doesn't run")
    func whatIsNoLongerWantedIsNotDone() async throws {
        let fixture = EffectFixture(width: 0)
        var views = try views(3, fixture)
        views[1].customEffects = .noting("another", in: log)
        views[1].image = try .plain(77)
        views[1].updateIfNeeded()
        #expect(fixture.queue.waitingCount == 3)
        views[2].image = nil
        #expect(fixture.queue.waitingCount == 2)
        views.remove(at: 0)
        #expect(fixture.queue.waitingCount == 1, "a view that goes wants nothing more")
        fixture.queue.width = 4
        await views[0].waitForPicture(77)
        await fixture.drain()
        #expect(log.events == ["another"])
    }

    @Test("One of two waiters can leave")
    func oneOfTwoWhoWaitCanGo() async throws {
        let fixture = EffectFixture(width: 0)
        let views = try views(1, fixture)
        let second = fixture.view(asynchronous: true)
        second.customEffects = views[0].customEffects
        second.image = views[0].image
        second.updateIfNeeded()
        views[0].image = nil
        #expect(fixture.queue.waitingCount == 1)
        fixture.queue.width = 4
        await second.waitForPicture(0)
        #expect(views[0].processedImage == nil)
    }

    @Test("A running operation's result is cached even when nobody shows it")
    func whatRunsFillsTheCacheThoughItIsNotShown() async throws {
        let (fixture, hold) = (EffectFixture(), Hold())
        let (view, first) = (fixture.view(asynchronous: true), try Image.plain(90))
        view.customEffects = .holding("held", hold)
        view.image = first
        view.updateIfNeeded()
        await hold.waitForArrivals(1)
        view.customEffects = nil
        view.image = try .plain(91)
        await view.waitForPicture(91)
        hold.release()
        while fixture.cache.count < 2 { await Task.yield() }
        await fixture.drain()
        #expect(view.shownRed == 91)
        view.customEffects = .holding("held", hold)
        view.image = first
        #expect(view.shownRed == 90, "without being done again")
        #expect(view.transition == nil)
        #expect(hold.arrivedCount == 1)
    }

    /// Twenty views, each of which is given another picture a thousand times.
    @Test("Many changes of the source end with the right images", arguments: [1 << 20, 0])
    func aStormEndsWithTheRightPictures(byteLimit: Int) async throws {
        let fixture = EffectFixture(byteLimit: byteLimit)
        let images = try (0..<64).map { try Image.plain($0 * 3) }
        let views = (0..<20).map { _ in fixture.view(asynchronous: true) }
        var last = Array(repeating: 0, count: views.count)
        var generator = SeededGenerator(UInt64(byteLimit))
        for round in 0..<1000 {
            for (index, view) in views.enumerated() {
                last[index] = Int.random(in: 0..<images.count, using: &generator)
                view.image = images[last[index]]
                if Int.random(in: 0..<8, using: &generator) == 0 { view.cornerRadius = Double(round % 3) }
                if Int.random(in: 0..<4, using: &generator) == 0 { view.updateIfNeeded() }
            }
            if round % 7 == 0 { await Task.yield() }
        }
        for (view, number) in zip(views, last) {
            view.cornerRadius = 0
            await view.waitForPicture(number * 3)
            #expect(view.image?.identity == images[number].identity)
        }
        await fixture.drain()
        for (view, number) in zip(views, last) { #expect(view.shownRed == number * 3) }
    }
}
