import ImageViews
import Raster
import Testing

/// Rectangles that drags draw over an image of 400 x 200 pixels, shown at half its size in the middle of the view.
@Suite("Crop selections")
struct CropSelectionTests {
    private let size = PixelSize(width: 400, height: 200)

    private func zoom(rotation: Int = 0) -> ZoomModel {
        var zoom = ZoomModel(pictureSize: size, viewSize: ViewSize(width: 200, height: 200))
        zoom.rotate(by: rotation)
        return zoom
    }

    @Test(
        "Drags move edges, corners or the whole rectangle, and never leave the image",
        arguments: [
            // The rectangle begins at 40, 20 with 320 x 160 pixels: in the view at 20, 60 with 160 x 80 points.
            (
                from: ViewPoint(x: 20, y: 100), by: ViewPoint(x: 10, y: 30),
                PixelRect(x: 60, y: 20, width: 300, height: 160)
            ),
            (
                from: ViewPoint(x: 180, y: 100), by: ViewPoint(x: -20, y: 0),
                PixelRect(x: 40, y: 20, width: 280, height: 160)
            ),
            (
                from: ViewPoint(x: 180, y: 140), by: ViewPoint(x: 900, y: 900),
                PixelRect(x: 40, y: 20, width: 360, height: 180)
            ),
            (
                from: ViewPoint(x: 100, y: 100), by: ViewPoint(x: -900, y: 5),
                PixelRect(x: 0, y: 30, width: 320, height: 160)
            ),
            // Beside the rectangle a new one begins; upwards and to the left as well.
            (
                from: ViewPoint(x: 200, y: 195), by: ViewPoint(x: -100, y: -95),
                PixelRect(x: 200, y: 100, width: 200, height: 100)
            ),
            // A click draws one pixel.
            (from: ViewPoint(x: 2, y: 52), by: .zero, PixelRect(x: 4, y: 4, width: 1, height: 1)),
            (
                from: ViewPoint(x: 20, y: 100), by: ViewPoint(x: .nan, y: 0),
                PixelRect(x: 40, y: 20, width: 320, height: 160)
            ),
        ])
    func followsDrags(_ start: ViewPoint, _ offset: ViewPoint, _ expected: PixelRect) {
        var crop = CropSelection(pictureSize: size)
        #expect(crop.rect == PixelRect(x: 40, y: 20, width: 320, height: 160))
        let zoom = zoom()
        crop.beginDrag(at: start, in: zoom)
        crop.drag(by: offset, in: zoom)
        if offset == .zero { crop.drag(by: offset, in: zoom) }
        crop.endDrag()
        #expect(crop.rect == expected)
        // Without a drag nothing moves.
        crop.drag(by: ViewPoint(x: 10, y: 10), in: zoom)
        #expect(crop.rect == expected)
    }

    @Test("A rotated image's rectangle is in pixels before the rotation")
    func countsPixelsBeforeTheRotation() {
        let zoom = zoom(rotation: 1)
        var crop = CropSelection(pictureSize: size)
        let frame = crop.frame(in: zoom)
        #expect(frame == ViewRect(x: 60, y: 20, width: 80, height: 160))
        // The upper edge as shown is the left one of the image.
        crop.beginDrag(at: ViewPoint(x: 100, y: 20), in: zoom)
        crop.drag(by: ViewPoint(x: 0, y: 30), in: zoom)
        #expect(crop.rect == PixelRect(x: 100, y: 20, width: 260, height: 160))
    }
}
