public import Raster

/// A rectangle that a person draws over an image in a zooming view, to crop it.
///
/// It is in pixels of the upright image, before the view's rotation, and never leaves the image.
public struct CropSelection: Hashable, Sendable {
    /// The part of the rectangle that a drag moves.
    private struct Grip: Hashable, Sendable {
        /// -1 for the left edge, 1 for the right one, 0 for neither; the same for top and bottom, as shown.
        var (x, y) = (0, 0)
        var isWhole: Bool { x == 0 && y == 0 }
    }

    /// The image's size.
    public let pictureSize: PixelSize
    /// The selected rectangle; at least one pixel.
    public private(set) var rect: PixelRect
    private var grip: Grip?
    /// The rectangle in the view when the drag began.
    private var start = ViewRect(x: 0, y: 0, width: 0, height: 0)

    /// Points around an edge within which a drag moves the edge.
    public static let reach = 14.0

    /// Selects the middle of an image: four fifths of both sides.
    public init(pictureSize: PixelSize) {
        self.pictureSize = PixelSize(width: max(1, pictureSize.width), height: max(1, pictureSize.height))
        let (left, top) = (self.pictureSize.width / 10, self.pictureSize.height / 10)
        rect = PixelRect(
            x: left, y: top, width: self.pictureSize.width - 2 * left, height: self.pictureSize.height - 2 * top)
    }

    /// The rectangle in a view.
    public func frame(in zoom: ZoomModel) -> ViewRect {
        let a = zoom.viewPoint(of: PicturePoint(x: Double(rect.x), y: Double(rect.y)))
        let b = zoom.viewPoint(
            of: PicturePoint(x: Double(rect.x + rect.width), y: Double(rect.y + rect.height)))
        return ViewRect(x: min(a.x, b.x), y: min(a.y, b.y), width: abs(a.x - b.x), height: abs(a.y - b.y))
    }

    /// Begins a drag at a point of the view: at an edge it moves that, inside the rectangle all of it, and outside it
    /// draws a new one.
    public mutating func beginDrag(at point: ViewPoint, in zoom: ZoomModel) {
        let frame = frame(in: zoom)
        let reach = Self.reach
        let isNear =
            point.x > frame.x - reach && point.x < frame.right + reach && point.y > frame.y - reach
            && point.y < frame.bottom + reach
        var grip = Grip()
        if isNear {
            grip.x = abs(point.x - frame.x) < reach ? -1 : abs(point.x - frame.right) < reach ? 1 : 0
            grip.y = abs(point.y - frame.y) < reach ? -1 : abs(point.y - frame.bottom) < reach ? 1 : 0
            start = frame
        } else {
            (grip.x, grip.y) = (1, 1)
            start = ViewRect(x: point.x, y: point.y, width: 0, height: 0)
        }
        self.grip = grip
    }

    /// Moves what the drag has hold of, to `offset` from where it began.
    public mutating func drag(by offset: ViewPoint, in zoom: ZoomModel) {
        guard let grip, offset.isFinite else { return }
        var (left, top, right, bottom) = (start.x, start.y, start.right, start.bottom)
        if grip.isWhole {
            // The whole rectangle keeps its size at the image's edges.
            let picture = zoom.pictureRect
            let x = min(max(offset.x, picture.x - left), picture.right - right)
            let y = min(max(offset.y, picture.y - top), picture.bottom - bottom)
            (left, right, top, bottom) = (left + x, right + x, top + y, bottom + y)
        }
        if grip.x < 0 { left += offset.x }
        if grip.x > 0 { right += offset.x }
        if grip.y < 0 { top += offset.y }
        if grip.y > 0 { bottom += offset.y }
        set(ViewPoint(x: left, y: top), ViewPoint(x: right, y: bottom), in: zoom)
    }

    /// Ends the drag.
    public mutating func endDrag() { grip = nil }

    /// Selects the pixels between two points of the view, whichever way they lie.
    private mutating func set(_ first: ViewPoint, _ second: ViewPoint, in zoom: ZoomModel) {
        let (a, b) = (zoom.picturePoint(at: first), zoom.picturePoint(at: second))
        func range(_ a: Double, _ b: Double, _ count: Int) -> (start: Int, count: Int) {
            let lower = min(max(0, min(a, b).rounded()), Double(count - 1))
            let upper = min(max(lower + 1, max(a, b).rounded()), Double(count))
            return (Int(lower), Int(upper - lower))
        }
        let (x, y) = (range(a.x, b.x, pictureSize.width), range(a.y, b.y, pictureSize.height))
        rect = PixelRect(x: x.start, y: y.start, width: x.count, height: y.count)
    }
}
