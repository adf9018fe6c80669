public import Raster

extension ZoomModel {
    /// The size as shown, after `rotation`, in pixels.
    public var shownSize: PixelSize { rotation % 2 == 0 ? pictureSize : pictureSize.transposed }

    /// The orientation that turns upright pixels by `rotation`.
    public var orientation: Orientation { [.up, .right, .down, .left][rotation] }

    /// The zoom at which the whole image fits the view, at most one to one.
    public var fitZoom: Double {
        guard !viewSize.isEmpty else { return oneToOneZoom }
        let (across, down) = ratios
        return min(across, down, oneToOneZoom)
    }

    /// The zoom at which the image covers the view.
    public var fillZoom: Double {
        guard !viewSize.isEmpty else { return oneToOneZoom }
        let (across, down) = ratios
        return max(across, down)
    }

    /// The zoom at which an image pixel is a device pixel.
    public var oneToOneZoom: Double { 1 / scaleFactor }

    /// The smallest zoom at rest, at which the whole image fits the view.
    public var minimumZoom: Double { fitZoom }

    /// The largest zoom at rest.
    public var maximumZoom: Double { max(maximumMagnification / scaleFactor, fillZoom, minimumZoom) }

    private var ratios: (across: Double, down: Double) {
        let size = shownSize
        return (viewSize.width / Double(size.width), viewSize.height / Double(size.height))
    }

    /// The rectangle of the whole image in the view's points, including parts outside the view.
    public var pictureRect: ViewRect {
        let size = shownSize
        return ViewRect(
            x: offset.x, y: offset.y, width: Double(size.width) * zoom, height: Double(size.height) * zoom)
    }

    /// The point in the view at a point of the image.
    public func viewPoint(of point: PicturePoint) -> ViewPoint {
        let (width, height) = (Double(pictureSize.width), Double(pictureSize.height))
        let (x, y) =
            switch rotation {
            case 0: (point.x, point.y)
            case 1: (height - point.y, point.x)
            case 2: (width - point.x, height - point.y)
            default: (point.y, width - point.x)
            }
        return ViewPoint(x: offset.x + x * zoom, y: offset.y + y * zoom)
    }

    /// The point in the image at a point of the view; outside the image if the image doesn't extend there.
    public func picturePoint(at point: ViewPoint) -> PicturePoint {
        let (width, height) = (Double(pictureSize.width), Double(pictureSize.height))
        let (x, y) = ((point.x - offset.x) / zoom, (point.y - offset.y) / zoom)
        return switch rotation {
        case 0: PicturePoint(x: x, y: y)
        case 1: PicturePoint(x: y, y: height - x)
        case 2: PicturePoint(x: width - x, y: height - y)
        default: PicturePoint(x: width - y, y: x)
        }
    }

    /// The visible part of the image, in pixels of the upright image; empty if nothing is visible.
    public var visibleRect: PixelRegion {
        let (a, b) = (
            picturePoint(at: .zero), picturePoint(at: ViewPoint(x: viewSize.width, y: viewSize.height))
        )
        let (width, height) = (Double(pictureSize.width), Double(pictureSize.height))
        let (left, right) = (max(0, min(a.x, b.x)), min(width, max(a.x, b.x)))
        let (top, bottom) = (max(0, min(a.y, b.y)), min(height, max(a.y, b.y)))
        return PixelRegion(
            x: min(left, width), y: min(top, height), width: max(0, right - left), height: max(0, bottom - top))
    }

    /// The limits of the offset at rest, in both directions; a single value where the image is centred.
    package func offsetLimits(at zoom: Double) -> (x: ClosedRange<Double>, y: ClosedRange<Double>) {
        func limits(_ pixels: Int, in view: Double) -> ClosedRange<Double> {
            let rest = view - Double(pixels) * zoom
            return rest >= 0 ? rest / 2...rest / 2 : rest...0
        }
        let size = shownSize
        return (limits(size.width, in: viewSize.width), limits(size.height, in: viewSize.height))
    }

    /// The offset at rest nearest to `offset`.
    func restOffset(_ offset: ViewPoint, at zoom: Double) -> ViewPoint {
        let limits = offsetLimits(at: zoom)
        return ViewPoint(x: offset.x.clamped(to: limits.x), y: offset.y.clamped(to: limits.y))
    }

    /// The zoom at rest nearest to `zoom`.
    package func restZoom(_ zoom: Double) -> Double { zoom.clamped(to: minimumZoom...maximumZoom) }
}

extension Double {
    package func clamped(to range: ClosedRange<Double>) -> Double { min(max(self, range.lowerBound), range.upperBound) }
}
