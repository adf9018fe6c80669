import CStage
import Foundation
import ImageViews
import ImageViewsGTK
import Tessera

/// A row of pictures that goes round: as many views as are seen, each used again for the picture that comes next.
@MainActor
final class Carousel {
    /// The one that is shown; what C calls has no other way to it.
    static var shown: Carousel?

    private let pictures: [Picture]
    /// A picture that stands in until another is ready.
    private let placeholder: Image
    /// Which picture is in the middle, and how fast that changes: pictures and pictures per second.
    private var place = 0.0
    private var speed = 0.0
    /// Where to, when nobody drags.
    private var target: Double?
    private var dragStart: Double?
    private var views: [Int: View] = [:]
    private var spare: [View] = []
    private var ride: Ride?

    /// One of the views, which keeps its widget.
    private struct View {
        let object: GTKObject
        let widget: EffectImageWidget
    }

    private static let width = 260.0
    private static let height = 190.0
    private static let step = 280.0

    init(_ pictures: [Picture], ride: Ride?) throws(ImageError) {
        self.pictures = pictures
        self.ride = ride
        placeholder = try Picture.placeholder(width: Int(Self.width), height: Int(Self.height))
    }

    func open() {
        Carousel.shown = self
        stage_open(
            "Carousel", 1100, 480,
            stage_handlers(
                scrolled: { steps in MainActor.assumeIsolated { Carousel.shown?.scroll(by: steps) } },
                grasped: { MainActor.assumeIsolated { Carousel.shown?.grasp() } },
                dragged: { x in MainActor.assumeIsolated { Carousel.shown?.drag(by: x) } },
                released: { MainActor.assumeIsolated { Carousel.shown?.release() } },
                key: { name in
                    let name = name.map { String(cString: $0) } ?? ""
                    return MainActor.assumeIsolated { Carousel.shown?.press(name) ?? false }
                },
                frame: { seconds, width, height in
                    MainActor.assumeIsolated {
                        Carousel.shown?.frame(after: seconds, width: width, height: height) ?? false
                    }
                },
                closed: { MainActor.assumeIsolated { GTKProgram.stop() } }))
    }

    /// Closes the window, and gives what the ride was like.
    func close() -> Ride? {
        stage_close()
        Carousel.shown = nil
        return ride
    }

    // MARK: Hands

    private func scroll(by steps: Double) { go(to: (target ?? place.rounded()) + steps) }

    private func grasp() {
        dragStart = place
        (target, speed) = (nil, 0)
    }

    private func drag(by x: Double) {
        guard let dragStart else { return }
        place = dragStart - x / Self.step
        stage_start()
    }

    private func release() {
        guard dragStart != nil else { return }
        dragStart = nil
        // It rolls on as fast as it was moved, and comes to rest at a picture.
        go(to: (place + speed * 0.6).rounded())
    }

    private func press(_ key: String) -> Bool {
        switch key {
        case "Left": scroll(by: -1)
        case "Right": scroll(by: 1)
        case "Page_Up": scroll(by: -10)
        case "Page_Down": scroll(by: 10)
        case "Home": go(to: 0)
        case "Escape": GTKProgram.stop()
        default: return false
        }
        return true
    }

    private func go(to place: Double) {
        target = place.rounded()
        stage_start()
    }

    // MARK: Frames

    /// Goes on; false when all is at rest.
    private func frame(after seconds: Double, width: Double, height: Double) -> Bool {
        let before = place
        if let way = ride?.way(in: seconds) {
            place += way
        } else if let target {
            // Half of what is left in every 80 ms.
            place += (target - place) * (1 - pow(0.5, seconds / 0.08))
            if abs(target - place) < 0.002 { (place, self.target) = (target, nil) }
        }
        if seconds > 0 { speed = speed * 0.7 + (place - before) / seconds * 0.3 }
        show(width: width, height: height)
        guard ride != nil else { return target != nil || dragStart != nil }
        ride?.check(views.map { (pictures[wrapped($0.key)], $0.value.widget.model, placeholder) })
        guard ride?.isOver == true else { return true }
        GTKProgram.stop()
        return false
    }

    private func wrapped(_ index: Int) -> Int { (index % pictures.count + pictures.count) % pictures.count }

    /// Has each picture that is seen shown where it is now.
    private func show(width: Double, height: Double) {
        let side = width / 2 / Self.step + 1
        let seen = Int((place - side).rounded(.down))...Int((place + side).rounded(.up))
        for (index, view) in views where !seen.contains(index) {
            views[index] = nil
            spare.append(view)
        }
        for index in seen {
            let view = views[index] ?? makeView(for: index)
            views[index] = view
            let distance = Double(index) - place
            let scale = max(0.55, 1 - 0.2 * abs(distance))
            // Pictures beside the middle come closer, as they are smaller.
            let x = width / 2 + distance * Self.step * (0.5 + scale / 2)
            stage_place(view.object.pointer, x, height * 0.45, scale, max(0.25, 1 - 0.25 * abs(distance)))
        }
    }

    /// A view that shows the picture at `index`: one that is no longer seen, or a new one.
    private func makeView(for index: Int) -> View {
        let view = spare.popLast() ?? newView()
        let model = view.widget.model
        // The placeholder first, so that the picture of before isn't seen in this one's place. A picture that was
        // processed before takes its place at once.
        model.processedImage = placeholder
        pictures[wrapped(index)].set(in: model)
        model.updateIfNeeded()
        return view
    }

    private func newView() -> View {
        let object = EffectImageWidget.object()
        guard let widget = EffectImageWidget.widget(of: object) else { fatalError("it is one") }
        let model = widget.model
        (model.reflectionScale, model.reflectionAlpha, model.reflectionGap) = (0.5, 0.35, 6)
        (model.shadowBlur, model.shadowOffset) = (12, ViewSize(width: 0, height: 4))
        model.cornerRadius = 12
        model.crossfadeDuration = 0.15
        stage_add(object.pointer, Int32(Self.width), Int32(Self.height))
        return View(object: object, widget: widget)
    }
}
