import Raster
import TestSupport
import Testing

import ImageViews

@Suite("Pages")
struct PageModelTests {
    static let view = ViewSize(width: 800, height: 600)

    /// Where in its bounds the picture is when the drag begins.
    enum Place { case fitted, left, middle, right }

    private func zoom(_ place: Place) -> ZoomModel {
        var zoom = ZoomModel(pictureSize: PixelSize(width: 4000, height: 3000), viewSize: Self.view)
        guard place != .fitted else { return zoom }
        zoom.oneToOne()
        if place == .left { zoom.pan(by: ViewPoint(x: 1e5, y: 0)) }
        if place == .right { zoom.pan(by: ViewPoint(x: -1e5, y: 0)) }
        return zoom
    }

    private func settle(_ pages: inout PageModel, _ zoom: inout ZoomModel) {
        while pages.advance(by: .milliseconds(16)) {}
        while zoom.advance(by: .milliseconds(16)) {}
    }

    @Test(
        "Only a sideways drag from the image's edge turns the page",
        arguments: [
            // where, way, velocity, page of 0, 1, 2 after it
            (.fitted, (-500, 0), 0, 2), (.fitted, (500, 0), 0, 0), (.fitted, (-300, 0), 0, 1),
            (.fitted, (-100, 0), -900, 2), (.fitted, (-500, 0), 900, 1), (.fitted, (-30, -400), -900, 1),
            (.middle, (-500, 0), -900, 1), (.middle, (500, 0), 900, 1), (.middle, (-1e5, 0), -5000, 1),
            (.left, (500, 0), 900, 0), (.left, (-500, 0), -900, 1), (.left, (-1e5, 0), -5000, 1),
            (.right, (-500, 0), -900, 2), (.right, (500, 0), 900, 1), (.right, (1e5, 0), 5000, 1),
            (.left, (20, 300), 900, 1), (.right, (-5, 0), -5000, 1), (.fitted, (0, 0), -5000, 1),
        ] as [(Place, (Double, Double), Double, Int)])
    func turning(place: Place, way: (Double, Double), velocity: Double, expected: Int) {
        for steps in [1, 50] {
            var (pages, zoom) = (PageModel(count: 3, index: 1, viewSize: Self.view), zoom(place))
            pages.beginDrag(zoom)
            for _ in 0..<steps {
                let step = ViewPoint(x: way.0 / Double(steps), y: way.1 / Double(steps))
                pages.drag(by: step, zoom: &zoom, bounds: .rubberBand)
                #expect(pages.index == 1)
            }
            pages.endDrag(velocity: ViewPoint(x: velocity, y: 0), zoom: &zoom, bounds: .rubberBand)
            settle(&pages, &zoom)
            #expect(pages.index == expected && pages.position == Double(expected))
        }
    }

    @Test("A drag moves either the pages or the image")
    func apart() {
        for place in [Place.fitted, .left, .middle, .right] {
            for way in [-400.0, 400] {
                var (pages, zoom) = (PageModel(count: 3, index: 1, viewSize: Self.view), zoom(place))
                let before = zoom.offset
                pages.beginDrag(zoom)
                pages.drag(by: ViewPoint(x: way, y: 3), zoom: &zoom, bounds: .clamp)
                switch pages.drag {
                case .pages: #expect(zoom.offset == before && abs(pages.frame(of: 1).x - way) < 1e-9)
                default: #expect(pages.position == 1 && zoom.offset != before)
                }
            }
        }
    }

    @Test(
        "Zooming and panning at a neighbour's edge neither jumps nor turns the page",
        arguments: [Place.left, .right, .fitted])
    func besideTheEdge(place: Place) {
        for factor in [0.5, 0.9, 1.1, 3] {
            for x in [0.0, 1, 400, 799, 800] {
                var (pages, zoom) = (PageModel(count: 3, index: 1, viewSize: Self.view), zoom(place))
                let pointer = ViewPoint(x: x, y: 300)
                // A second finger comes down while the first drags.
                pages.beginDrag(zoom)
                pages.drag(by: ViewPoint(x: place == .left ? 50 : -50, y: 0), zoom: &zoom, bounds: .rubberBand)
                #expect(pages.drag == .pages)
                pages.cancelDrag()
                var last = zoom.viewPoint(of: PicturePoint(x: 2000, y: 1500))
                for _ in 0..<30 {
                    let scale = zoom.zoom
                    zoom.zoom(by: 1 + (factor - 1) / 30, about: pointer, bounds: .rubberBand)
                    let now = zoom.viewPoint(of: PicturePoint(x: 2000, y: 1500))
                    // No further than the zoom moves it.
                    let most = abs(last.x - pointer.x) * abs(zoom.zoom / scale - 1) + 1e-6
                    #expect(abs(now.x - last.x) <= most)
                    last = now
                }
                zoom.endZoom()
                settle(&pages, &zoom)
                #expect(pages.index == 1)
                // And pans that don't begin at the edge.
                zoom.oneToOne()
                zoom.pan(by: ViewPoint(x: -50, y: 0))
                pages.beginDrag(zoom)
                pages.drag(by: ViewPoint(x: 9000, y: 0), zoom: &zoom, bounds: .rubberBand)
                pages.drag(by: ViewPoint(x: -30_000, y: 0), zoom: &zoom, bounds: .rubberBand)
                pages.endDrag(velocity: ViewPoint(x: -9000, y: 0), zoom: &zoom, bounds: .rubberBand)
                settle(&pages, &zoom)
                #expect(pages.index == 1 && pages.position == 1)
                #expect(zoom.offset.x == 800 - 4000)
            }
        }
    }

    @Test("The first and last page resist dragging")
    func ends() {
        var (pages, zoom) = (PageModel(count: 2, viewSize: Self.view), zoom(.fitted))
        pages.beginDrag(zoom)
        pages.drag(by: ViewPoint(x: 700, y: 0), zoom: &zoom)
        #expect(pages.position < 0 && pages.position > -0.3)
        pages.endDrag(velocity: ViewPoint(x: 5000, y: 0), zoom: &zoom)
        settle(&pages, &zoom)
        #expect(pages.index == 0 && pages.position == 0)
        pages.previous()
        #expect(pages.index == 0)
        pages.next()
        pages.next()
        #expect(pages.index == 1 && pages.visiblePages == 1..<2)
        pages.show(-5)
        #expect(pages.index == 0)
        pages.next(animated: true)
        pages.advance(by: .milliseconds(50))
        #expect(pages.visiblePages == 0..<2)
        var none = PageModel(count: 0)
        none.beginDrag(zoom)
        none.drag(by: ViewPoint(x: 50, y: 0), zoom: &zoom)
        none.endDrag(zoom: &zoom)
        none.next()
        #expect(none.index == 0 && none.visiblePages.isEmpty)
    }

    @Test("A touch stops moving pages")
    func held() {
        var (pages, zoom) = (PageModel(count: 9, index: 1, viewSize: Self.view), zoom(.middle))
        pages.show(2, animated: true)
        pages.advance(by: .milliseconds(20))
        let position = pages.position
        #expect(position > 1 && position < 2)
        pages.beginDrag(zoom)
        #expect(pages.drag == .pages && pages.position == position)
        pages.drag(by: ViewPoint(x: 0.1, y: 0), zoom: &zoom)
        #expect(abs(pages.position - position) < 0.001)
        pages.endDrag(zoom: &zoom)
        settle(&pages, &zoom)
        #expect(pages.position == Double(pages.index))
    }

    @Test("Random drags turn at most one page, in the right direction", arguments: 0..<20 as Range<UInt64>)
    func random(seed: UInt64) {
        var random = SeededGenerator(seed)
        func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
        var (pages, zoom) = (PageModel(count: 5, index: 2, viewSize: Self.view), zoom(.fitted))
        for _ in 0..<60 {
            zoom.zoom(by: number(0.4...2.5), about: ViewPoint(x: number(0...800), y: number(0...600)))
            zoom.pan(by: ViewPoint(x: number(-4000...4000), y: 0))
            let (index, limits) = (pages.index, zoom.offsetLimits(at: zoom.zoom).x)
            let (atLeft, atRight) = (zoom.offset.x >= limits.upperBound, zoom.offset.x <= limits.lowerBound)
            pages.beginDrag(zoom)
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                pages.drag(by: ViewPoint(x: number(-200...200), y: number(-50...50)), zoom: &zoom, bounds: .rubberBand)
                #expect(pages.position.isFinite && abs(pages.position - Double(index)) <= 1.0001)
            }
            pages.endDrag(velocity: ViewPoint(x: number(-2000...2000), y: 0), zoom: &zoom, bounds: .rubberBand)
            #expect(abs(pages.index - index) <= 1 && 0..<5 ~= pages.index)
            if pages.index < index { #expect(atLeft) }
            if pages.index > index { #expect(atRight) }
            settle(&pages, &zoom)
            #expect(pages.position == Double(pages.index))
        }
    }
}
