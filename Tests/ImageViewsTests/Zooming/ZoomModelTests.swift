import Raster
import TestSupport
import Testing

import ImageViews

@Suite("Zooming")
struct ZoomModelTests {
    static let large = PixelSize(width: 4000, height: 3000)
    static let view = ViewSize(width: 800, height: 600)

    @Test(
        "Fit, fill, one to one and the limits have the right scale",
        arguments: [
            // picture, view, scale factor, rotation, fit, fill, least, most
            (large, view, 1, 0, 0.2, 0.2, 0.2, 16),
            (large, view, 2, 0, 0.2, 0.2, 0.2, 8),
            (large, view, 1, 1, 0.15, 4.0 / 15, 0.15, 16),
            (PixelSize(width: 100, height: 50), view, 1, 0, 1, 12, 1, 16),
            (PixelSize(width: 100, height: 50), view, 2, 0, 0.5, 12, 0.5, 12),
            (PixelSize(width: 1000, height: 10), view, 1, 0, 0.8, 60, 0.8, 60),
            (PixelSize(width: 1, height: 1), view, 1, 3, 1, 800, 1, 800),
        ] as [(PixelSize, ViewSize, Double, Int, Double, Double, Double, Double)])
    func limits(
        picture: PixelSize, view: ViewSize, scale: Double, turns: Int, fit: Double, fill: Double, least: Double,
        most: Double
    ) {
        var zoom = ZoomModel(pictureSize: picture, viewSize: view, scaleFactor: scale)
        zoom.rotate(by: turns)
        #expect(abs(zoom.fitZoom - fit) < 1e-12 && zoom.zoom == zoom.fitZoom)
        #expect(abs(zoom.fillZoom - fill) < 1e-9)
        #expect(abs(zoom.minimumZoom - least) < 1e-12 && abs(zoom.maximumZoom - most) < 1e-9)
        #expect(zoom.oneToOneZoom == 1 / scale)
        // Fitted is in the middle.
        #expect(abs(zoom.pictureRect.center.x - 400) < 1e-9 && abs(zoom.pictureRect.center.y - 300) < 1e-9)
        let visible = zoom.visibleRect
        #expect(
            abs(visible.width - Double(picture.width)) < 1e-6 && abs(visible.height - Double(picture.height)) < 1e-6)
    }

    @Test("The point under the pointer stays, and both conversions agree", arguments: [0, 1, 2, 3])
    func anchored(turns: Int) {
        var zoom = ZoomModel(pictureSize: Self.large, viewSize: Self.view)
        zoom.rotate(by: turns)
        zoom.oneToOne()
        let pointer = ViewPoint(x: 310, y: 222)
        let before = zoom.picturePoint(at: pointer)
        zoom.zoom(by: 3, about: pointer)
        let after = zoom.picturePoint(at: pointer)
        #expect(abs(before.x - after.x) < 1e-9 && abs(before.y - after.y) < 1e-9)
        let back = zoom.viewPoint(of: after)
        #expect(abs(back.x - pointer.x) < 1e-9 && abs(back.y - pointer.y) < 1e-9)
        #expect(zoom.zoom == 3 && zoom.fitting == .free)
    }

    @Test("Corners of a rotated image have the right places")
    func corners() {
        var zoom = ZoomModel(pictureSize: PixelSize(width: 40, height: 20), viewSize: ViewSize(width: 40, height: 40))
        let expected: [(ViewPoint, Orientation)] = [
            (ViewPoint(x: 0, y: 10), .up), (ViewPoint(x: 30, y: 0), .right), (ViewPoint(x: 40, y: 30), .down),
            (ViewPoint(x: 10, y: 40), .left),
        ]
        for (corner, orientation) in expected {
            #expect(zoom.viewPoint(of: PicturePoint(x: 0, y: 0)) == corner)
            #expect(zoom.orientation == orientation)
            zoom.rotate(by: 1)
        }
        zoom.rotate(by: -5)
        #expect(zoom.rotation == 3)
    }

    @Test("A pan stops at the edges, or resists beyond them and returns")
    func pan() {
        var zoom = ZoomModel(pictureSize: Self.large, viewSize: Self.view)
        zoom.oneToOne()
        zoom.pan(by: ViewPoint(x: 1e7, y: -1e7))
        #expect(zoom.offset == ViewPoint(x: 0, y: 600 - 3000))
        zoom.pan(by: ViewPoint(x: 100, y: 0), bounds: .rubberBand)
        let pulled = zoom.offset.x
        #expect(pulled > 20 && pulled < 100)
        // In steps, and there and back, it is the same.
        zoom.pan(by: ViewPoint(x: -60, y: 0), bounds: .rubberBand)
        zoom.pan(by: ViewPoint(x: 60, y: 0), bounds: .rubberBand)
        #expect(abs(zoom.offset.x - pulled) < 1e-9)
        zoom.pan(by: ViewPoint(x: -100, y: 0), bounds: .rubberBand)
        #expect(abs(zoom.offset.x) < 1e-9)
        zoom.pan(by: ViewPoint(x: 100, y: 0), bounds: .rubberBand)
        zoom.endPan(bounds: .rubberBand)
        #expect(zoom.isMoving)
        while zoom.advance(by: .milliseconds(16)) { #expect(zoom.offset.x >= 0 && zoom.offset.x <= pulled) }
        #expect(zoom.offset == ViewPoint(x: 0, y: 600 - 3000))
    }

    @Test("A fling slows down and ends at the edge", arguments: [ZoomModel.Bounds.clamp, .rubberBand])
    func throwing(bounds: ZoomModel.Bounds) {
        var zoom = ZoomModel(pictureSize: Self.large, viewSize: Self.view)
        zoom.oneToOne()
        let start = zoom.offset.x
        zoom.endPan(velocity: ViewPoint(x: 1000, y: 0), bounds: bounds)
        var (last, step) = (start, Double.infinity)
        while zoom.advance(by: .milliseconds(10)) {
            #expect(zoom.offset.x - last <= step + 1e-9)
            (step, last) = (zoom.offset.x - last, zoom.offset.x)
        }
        #expect(zoom.offset.x > start + 200 && zoom.offset.x < start + 251)
        zoom.endPan(velocity: ViewPoint(x: -1e9, y: .nan), bounds: bounds)
        #expect(!zoom.isMoving)
        zoom.endPan(velocity: ViewPoint(x: -15_000, y: 0), bounds: bounds)
        var least = 0.0
        while zoom.advance(by: .milliseconds(10)) { least = min(least, zoom.offset.x) }
        #expect(zoom.offset.x == 800 - 4000)
        #expect((least < 800 - 4000) == (bounds == .rubberBand))
    }

    @Test("The end doesn't depend on the steps of time")
    func steps() {
        var zoom = ZoomModel(pictureSize: Self.large, viewSize: Self.view)
        zoom.oneToOne()
        zoom.endPan(velocity: ViewPoint(x: 9000, y: -300), bounds: .rubberBand)
        var (fine, coarse) = (zoom, zoom)
        for _ in 0..<40 { fine.advance(by: .milliseconds(10)) }
        coarse.advance(by: .milliseconds(400))
        #expect(abs(fine.offset.x - coarse.offset.x) < 1e-6 && abs(fine.offset.y - coarse.offset.y) < 1e-6)
    }

    @Test("A double tap zooms to one to one about the finger, and back")
    func doubleTap() {
        var zoom = ZoomModel(pictureSize: Self.large, viewSize: Self.view)
        let finger = ViewPoint(x: 200, y: 400)
        let under = zoom.picturePoint(at: finger)
        zoom.doubleTap(at: finger)
        var last = zoom.zoom
        while zoom.advance(by: .milliseconds(16)) {
            #expect(zoom.zoom >= last)
            last = zoom.zoom
            let now = zoom.viewPoint(of: under)
            #expect(abs(now.x - finger.x) < 1e-6 && abs(now.y - finger.y) < 1e-6)
        }
        #expect(zoom.zoom == 1 && zoom.fitting == .oneToOne)
        zoom.doubleTap(at: finger, animated: false)
        #expect(zoom.zoom == 0.2 && zoom.fitting == .fit && zoom.offset == .zero)
        var small = ZoomModel(pictureSize: PixelSize(width: 10, height: 10), viewSize: Self.view)
        small.doubleTap(at: finger, animated: false)
        #expect(small.zoom == 2)
    }

    @Test("A pinch beyond the limits returns")
    func pinch() {
        var zoom = ZoomModel(pictureSize: Self.large, viewSize: Self.view)
        zoom.zoom(by: 0.25, about: ViewPoint(x: 100, y: 100), bounds: .rubberBand)
        #expect(zoom.zoom < 0.2 && zoom.zoom > 0.1)
        zoom.endZoom()
        while zoom.advance(by: .milliseconds(16)) {}
        #expect(zoom.zoom == 0.2 && zoom.offset == .zero && zoom.fitting == .fit)
        zoom.zoom(by: 1000, about: ViewPoint(x: 100, y: 100), bounds: .rubberBand)
        #expect(zoom.zoom > 16 && zoom.zoom < 32)
        zoom.endPan()
        while zoom.advance(by: .milliseconds(16)) {}
        #expect(abs(zoom.zoom - 16) < 1e-9)
    }

    @Test("Resizing keeps the chosen zoom, or the point in the middle")
    func resizing() {
        var zoom = ZoomModel(pictureSize: Self.large, viewSize: Self.view)
        zoom.viewSize = ViewSize(width: 400, height: 600)
        #expect(zoom.zoom == 0.1 && zoom.pictureRect == ViewRect(x: 0, y: 150, width: 400, height: 300))
        zoom.fill()
        #expect(zoom.zoom == 0.2)
        zoom.viewSize = ViewSize(width: 800, height: 900)
        #expect(zoom.fitting == .fill && abs(zoom.zoom - 0.3) < 1e-12)
        zoom.oneToOne(about: ViewPoint(x: 400, y: 450))
        let middle = zoom.picturePoint(at: ViewPoint(x: 400, y: 450))
        zoom.scaleFactor = 2
        #expect(zoom.zoom == 0.5)
        zoom.viewSize = ViewSize(width: 500, height: 300)
        let now = zoom.picturePoint(at: ViewPoint(x: 250, y: 150))
        #expect(abs(now.x - middle.x) < 1e-6 && abs(now.y - middle.y) < 1e-6)
        zoom.rotate(by: 1)
        let turned = zoom.picturePoint(at: ViewPoint(x: 250, y: 150))
        #expect(abs(turned.x - middle.x) < 1e-6 && abs(turned.y - middle.y) < 1e-6)
        // A view without extent changes nothing that comes back.
        zoom.viewSize = .zero
        zoom.viewSize = ViewSize(width: .nan, height: -3)
        #expect(zoom.zoom.isFinite && zoom.offset.isFinite)
    }

    @Test("Values that aren't finite change nothing")
    func notNumbers() {
        var zoom = ZoomModel(pictureSize: Self.large, viewSize: Self.view, scaleFactor: .nan)
        zoom.oneToOne()
        let before = zoom
        for bad in [Double.nan, .infinity, -.infinity] {
            zoom.zoom(by: bad, about: ViewPoint(x: 1, y: 1))
            zoom.zoom(by: 2, about: ViewPoint(x: bad, y: 1))
            zoom.pan(by: ViewPoint(x: 0, y: bad))
            zoom.oneToOne(about: ViewPoint(x: bad, y: bad))
        }
        zoom.zoom(by: 0, about: .zero)
        zoom.zoom(by: -2, about: .zero)
        zoom.maximumMagnification = .nan
        #expect(zoom == before)
    }

    @Test("Random gestures keep the point, the bounds and finite values", arguments: 0..<40 as Range<UInt64>)
    func gestures(seed: UInt64) {
        var random = SeededGenerator(seed)
        func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
        let size = PixelSize(
            width: Int(number(1...60_000)), height: Int(number(1...60_000)))
        var zoom = ZoomModel(
            pictureSize: size, viewSize: ViewSize(width: number(1...3000), height: number(1...2000)),
            scaleFactor: [1, 1.25, 2, 3].randomElement(using: &random)!)
        for _ in 0..<300 {
            let bounds: ZoomModel.Bounds = Bool.random(using: &random) ? .clamp : .rubberBand
            let pointer = ViewPoint(x: number(0...zoom.viewSize.width), y: number(0...zoom.viewSize.height))
            let before = zoom.picturePoint(at: pointer)
            switch Int.random(in: 0..<12, using: &random) {
            case 0...3:
                zoom.zoom(by: number(0.3...3), about: pointer, bounds: bounds)
                // The point stays on each axis on which no bound is in the way.
                let (now, limits) = (zoom.viewPoint(of: before), zoom.offsetLimits(at: zoom.zoom))
                func isFree(_ offset: Double, _ limits: ClosedRange<Double>, _ length: Double) -> Bool {
                    switch bounds {
                    case .clamp: offset > limits.lowerBound && offset < limits.upperBound
                    case .rubberBand: offset > limits.lowerBound - length && offset < limits.upperBound + length
                    }
                }
                let tolerance = 1e-6 * max(1, zoom.pictureRect.width, zoom.pictureRect.height)
                if isFree(zoom.offset.x, limits.x, zoom.viewSize.width) { #expect(abs(now.x - pointer.x) < tolerance) }
                if isFree(zoom.offset.y, limits.y, zoom.viewSize.height) { #expect(abs(now.y - pointer.y) < tolerance) }
                if bounds == .clamp {
                    #expect(limits.x.contains(zoom.offset.x) && limits.y.contains(zoom.offset.y))
                    #expect(zoom.zoom >= zoom.minimumZoom && zoom.zoom <= zoom.maximumZoom)
                }
            case 4, 5: zoom.pan(by: ViewPoint(x: number(-2000...2000), y: number(-2000...2000)), bounds: bounds)
            case 6: zoom.endPan(velocity: ViewPoint(x: number(-9e3...9e3), y: number(-9e3...9e3)), bounds: bounds)
            case 7: zoom.endZoom()
            case 8: zoom.doubleTap(at: pointer, animated: Bool.random(using: &random))
            case 9: zoom.rotate(by: Int.random(in: -5...5, using: &random))
            case 10: zoom.viewSize = ViewSize(width: number(1...3000), height: number(1...2000))
            default: zoom.advance(by: .milliseconds(Int.random(in: 0...400, using: &random)))
            }
            #expect(zoom.zoom.isFinite && zoom.zoom > 0 && zoom.offset.isFinite)
            #expect(zoom.zoom >= zoom.minimumZoom / 2.01 && zoom.zoom <= zoom.maximumZoom * 2.01)
            let limits = zoom.offsetLimits(at: zoom.zoom)
            let (width, height) = (zoom.viewSize.width + 1, zoom.viewSize.height + 1)
            if !zoom.isMoving {
                #expect(zoom.offset.x >= limits.x.lowerBound - width && zoom.offset.x <= limits.x.upperBound + width)
                #expect(zoom.offset.y >= limits.y.lowerBound - height && zoom.offset.y <= limits.y.upperBound + height)
            }
            let visible = zoom.visibleRect
            #expect(visible.x >= 0 && visible.width >= 0 && visible.x + visible.width <= Double(size.width) * 1.000001)
        }
        // At rest it is within its bounds.
        zoom.endPan()
        while zoom.advance(by: .milliseconds(100)) {}
        let limits = zoom.offsetLimits(at: zoom.zoom)
        #expect(limits.x.contains(zoom.offset.x) && limits.y.contains(zoom.offset.y))
        #expect(zoom.restZoom(zoom.zoom) == zoom.zoom)
    }
}
