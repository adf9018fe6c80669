import Foundation
import ImageEffects
import ImageViews
import Observation
import Raster
import Testing

@MainActor @Suite("Processing in effect views")
struct ProcessingTests {
    private let fixture = EffectFixture()
    private let log = EventLog<String>()

    @Test("Processing runs on the calling thread unless it is asynchronous")
    func worksOnTheCallingThreadUnlessAsynchronous() async throws {
        let (threads, hold) = (EventLog<Int>(), Hold())
        let view = fixture.view()
        view.customEffects = Effects.Custom(identifier: "thread") { (image) throws(ImageError) in
            threads.append(currentThread())
            return image
        }
        view.image = try .plain(90)
        #expect(view.shownRed == 90)
        #expect(view.transition == nil)
        #expect(threads.events == [currentThread()])
        view.asynchronous = true
        view.customEffects = .holding("held", hold)
        view.image = try .plain(91)
        #expect(view.shownRed == 90)
        await hold.waitForArrivals(1)
        hold.release()
        await view.waitForPicture(91)
        let transition = try #require(view.transition)
        #expect(transition.from?.red == 90)
        #expect(transition.duration == 0.25)
    }

    @Test("Only results from the background are crossfaded")
    func crossfadesOnlyWhatComesFromTheBackground() async throws {
        let (view, image) = (fixture.view(asynchronous: true), try Image.plain(90))
        view.image = image
        #expect(view.processedImage == nil)
        #expect(view.image?.red == 90)
        await view.waitForPicture(90)
        #expect(view.transition != nil)
        let second = fixture.view(asynchronous: true)
        second.image = image
        #expect(second.shownRed == 90, "it is in the cache, so it is there at once")
        #expect(second.transition == nil)
        view.crossfadeDuration = 0
        view.image = try .plain(91)
        await view.waitForPicture(91)
        #expect(view.transition == nil)
    }

    @Test("Settings changed together are processed once", arguments: [false, true]) func whatIsSetTogetherIsDoneOnce(
        asynchronous: Bool
    ) async throws {
        let view = fixture.view(asynchronous: asynchronous)
        view.customEffects = .noting("once", in: log)
        view.image = try .plain(90)
        view.cornerRadius = 2
        view.size = ViewSize(width: 6, height: 6)
        (view.reflectionScale, view.reflectionAlpha) = (0.5, 0.5)
        await view.wait { $0?.size == PixelSize(width: 6, height: 12) }
        await fixture.drain()
        #expect(log.events == ["once"])
    }

    @Test("Processing happens without the result being read")
    func isDoneWithoutBeingRead() async throws {
        let view = fixture.view(asynchronous: true)
        view.customEffects = .noting("done", in: log)
        view.image = try .plain(90)
        while fixture.cache.count == 0 { await Task.yield() }
        #expect(log.events == ["done"])
        view.image = try .plain(91)
        view.asynchronous = false
        while fixture.cache.count == 1 { await Task.yield() }
        #expect(log.events == ["done", "done"])
    }

    @Test("Setting an effect and taking it back causes no work")
    func aBackAndForthOfEffectsIsNoWork() async throws {
        let view = fixture.view(asynchronous: true)
        view.customEffects = .noting("work", in: log)
        view.image = try .plain(90)
        await view.waitForPicture(90)
        let shown = view.processedImage
        fixture.queue.width = 0
        view.cornerRadius = 2
        _ = view.processedImage
        #expect(fixture.queue.waitingCount == 1)
        view.cornerRadius = 0
        #expect(view.processedImage?.identity == shown?.identity)
        #expect(fixture.queue.waitingCount == 0)
        #expect(log.events == ["work"])
    }

    @Test("An image stays until the next is ready or it is removed")
    func aPictureIsKeptUntilTheNextIsThereOrTakenAway() async throws {
        for clears in [false, true] {
            let view = fixture.view(asynchronous: true)
            view.clearsOnReuse = clears
            view.image = try .plain(90)
            await view.waitForPicture(90)
            view.image = try .plain(91)
            #expect(view.shownRed == (clears ? nil : 90))
            #expect(view.image?.red == 91)
            await view.waitForPicture(91)
            view.cornerRadius = 1
            #expect(view.processedImage != nil, "other effects leave what is there")
        }
    }

    @Test("No source shows no image")
    func nothingIsShownForNothing() async throws {
        let view = fixture.view(asynchronous: true)
        view.image = try .plain(90)
        await view.waitForPicture(90)
        view.image = try .plain(91)
        view.image = nil
        #expect(view.image == nil)
        #expect(view.processedImage == nil)
        await fixture.drain()
        #expect(view.processedImage == nil)
    }

    @Test("A processed image that is set directly is shown unchanged")
    func aPictureThatIsSetDirectlyIsShownUntouched() async throws {
        for asynchronous in [false, true] {
            let view = fixture.view(asynchronous: asynchronous)
            let placeholder = try Image.plain(10, 3, 3)
            view.cornerRadius = 2
            view.processedImage = placeholder
            #expect(view.processedImage?.identity == placeholder.identity)
            #expect(view.processedFrame == ViewRect(x: 2.5, y: 2.5, width: 3, height: 3))
            view.cornerRadius = 0
            #expect(view.processedImage?.identity == placeholder.identity)
            let image = try Image.plain(90)
            view.image = image
            #expect(view.shownRed == (asynchronous ? 10 : 90), "it stays until the picture is ready")
            await view.waitForPicture(90)
            #expect((view.transition?.from?.identity == placeholder.identity) == asynchronous)
            // What was asked for before doesn't take its place, nor do effects.
            view.cornerRadius = 3
            view.processedImage = placeholder
            await fixture.drain()
            view.cornerRadius = 4
            #expect(view.processedImage?.identity == placeholder.identity)
            #expect(view.image?.identity == image.identity)
            // The same picture again does.
            view.cornerRadius = 0
            view.image = image
            #expect(view.shownRed == 90)
            #expect(view.transition == nil)
        }
    }

    @Test("Observers and readers of changes see the same states")
    func tellsObserversAndReaders() async throws {
        let view = fixture.view(asynchronous: true)
        let changes = EventLog<String>()
        withObservationTracking {
            _ = view.processedImage
        } onChange: {
            changes.append("processed")
        }
        withObservationTracking {
            _ = view.image
        } onChange: {
            changes.append("image")
        }
        var (images, processed) = (view.images.makeAsyncIterator(), view.processedImages.makeAsyncIterator())
        var (image, picture) = (await images.next(), await processed.next())
        #expect(try #require(image) == nil && #require(picture) == nil)
        view.image = try .plain(90)
        #expect(changes.events == ["image"])
        image = await images.next()
        picture = await processed.next()
        #expect(image??.red == 90)
        #expect(picture??.size == PixelSize(width: 8, height: 8))
        #expect(changes.events == ["image", "processed"])
        view.image = nil
        (image, picture) = (await images.next(), await processed.next())
        #expect(try #require(image) == nil && #require(picture) == nil)
    }
}

/// What tells the thread from others.
private func currentThread() -> Int { ObjectIdentifier(Thread.current).hashValue }

extension EffectImageView {
    /// Returns when what is shown is as it should be.
    func wait(until isMet: (Image?) -> Bool) async {
        for await image in processedImages where isMet(image) { return }
    }
}
