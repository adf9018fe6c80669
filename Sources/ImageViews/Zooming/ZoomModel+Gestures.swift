internal import Raster

extension ZoomModel {
    /// Multiplies the zoom by `factor`. The image's point at `point` of the view stays there, as far as the bounds
    /// allow.
    /// - Parameter bounds: `rubberBand` for touch, until `endZoom`.
    public mutating func zoom(by factor: Double, about point: ViewPoint, bounds: Bounds = .clamp) {
        guard factor > 0, factor.isFinite, point.isFinite else { return }
        motion = nil
        anchor = point
        let target: Double
        switch bounds {
        case .clamp: target = restZoom(zoom * factor)
        case .rubberBand: target = RubberBand.zoom.scaled(zoom, by: factor, within: minimumZoom...maximumZoom)
        }
        let moved = offset(at: target, about: point)
        zoom = target
        switch bounds {
        case .clamp: offset = restOffset(moved, at: target)
        case .rubberBand: offset = reachableOffset(moved, at: target)
        }
        fitting = zoom == fitZoom ? .fit : .free
    }

    /// Moves the image.
    /// - Parameter bounds: `rubberBand` for touch, until `endPan`.
    public mutating func pan(by way: ViewPoint, bounds: Bounds = .clamp) {
        guard way.isFinite else { return }
        motion = nil
        let limits = offsetLimits(at: zoom)
        offset.x = Self.panned(offset.x, by: way.x, within: limits.x, length: viewSize.width, bounds)
        offset.y = Self.panned(offset.y, by: way.y, within: limits.y, length: viewSize.height, bounds)
    }

    /// Ends a pan: while `advance` is called the image glides on from `velocity` (points per second), decelerating, and
    /// returns if it is out of bounds.
    public mutating func endPan(velocity: ViewPoint = .zero, bounds: Bounds = .clamp) {
        guard zoom == restZoom(zoom) else { return endZoom() }
        let limits = offsetLimits(at: zoom)
        let velocity = velocity.isFinite ? velocity : .zero
        let glide = ZoomGlide(
            x: AxisGlide(offset.x, velocity.x, within: limits.x, length: viewSize.width, bounds),
            y: AxisGlide(offset.y, velocity.y, within: limits.y, length: viewSize.height, bounds))
        motion = glide.isOver ? nil : .glide(glide)
    }

    /// Ends a zoom: while `advance` is called the image returns if it is out of bounds.
    public mutating func endZoom() {
        let target = restZoom(zoom)
        go(to: target, offset: restOffset(offset(at: target, about: anchor), at: target), fitting, animated: true)
    }

    /// Stops all motion, as when a finger touches.
    public mutating func stop() { motion = nil }

    /// Zooms from fitted to one to one, or to twice the size if that is the same, about `point`; from any other zoom to
    /// fitted.
    public mutating func doubleTap(at point: ViewPoint, animated: Bool = true) {
        guard fitting == .fit || zoom == fitZoom else { return fit(animated: animated) }
        if oneToOneZoom > fitZoom * 1.001 { return oneToOne(about: point, animated: animated) }
        zoomTo(restZoom(2 * fitZoom), about: point, .free, animated: animated)
    }

    /// Shows the whole image, at most one to one.
    public mutating func fit(animated: Bool = false) { zoomTo(fitZoom, about: center, .fit, animated: animated) }

    /// Covers the view with the image.
    public mutating func fill(animated: Bool = false) { zoomTo(fillZoom, about: center, .fill, animated: animated) }

    /// Shows each image pixel as a device pixel. The image's point at `point` stays there, as far as the bounds allow;
    /// nil for the view's centre.
    public mutating func oneToOne(about point: ViewPoint? = nil, animated: Bool = false) {
        zoomTo(oneToOneZoom, about: point ?? center, .oneToOne, animated: animated)
    }

    /// Rotates the image clockwise by a number of quarter turns. The point at the view's centre stays there, unless the
    /// image is fitted or fills the view.
    public mutating func rotate(by quarterTurns: Int) {
        let turns = ((quarterTurns % 4) + 4) % 4
        guard turns != 0 else { return }
        keepingCenter { $0.rotation = ($0.rotation + turns) % 4 }
    }

    var center: ViewPoint { ViewPoint(x: viewSize.width / 2, y: viewSize.height / 2) }

    // MARK: Steps

    private mutating func zoomTo(_ target: Double, about point: ViewPoint, _ fitting: Fitting, animated: Bool) {
        guard point.isFinite else { return }
        anchor = point
        go(to: target, offset: restOffset(offset(at: target, about: point), at: target), fitting, animated: animated)
    }

    private mutating func go(to target: Double, offset end: ViewPoint, _ fitting: Fitting, animated: Bool) {
        motion = nil
        self.fitting = target == fitZoom ? .fit : fitting
        guard target != zoom || end != offset else { return }
        if animated {
            motion = .transition(ZoomTransition(zoom: zoom, offset: offset, endZoom: target, endOffset: end))
        } else {
            (zoom, offset) = (target, end)
        }
    }

    /// Centres the image at a zoom.
    mutating func place(_ zoom: Double) {
        self.zoom = zoom
        let (width, height) = (Double(shownSize.width) * zoom, Double(shownSize.height) * zoom)
        offset = restOffset(
            ViewPoint(x: (viewSize.width - width) / 2, y: (viewSize.height - height) / 2), at: zoom)
    }

    /// Makes a change that keeps the image's point at the view's centre.
    mutating func keepingCenter(_ change: (inout ZoomModel) -> Void) {
        finishTransition()
        motion = nil
        let middle = picturePoint(at: center)
        let wasEmpty = viewSize.isEmpty
        change(&self)
        switch fitting {
        case .fit: return place(fitZoom)
        case .fill where wasEmpty: return place(fillZoom)
        case .fill: zoom = fillZoom
        case .oneToOne: zoom = oneToOneZoom
        case .free: zoom = restZoom(zoom)
        }
        let now = viewPoint(of: middle)
        offset = restOffset(offset + center - now, at: zoom)
    }

    /// The offset at another zoom that keeps the image's point at `point` there.
    private func offset(at target: Double, about point: ViewPoint) -> ViewPoint {
        let ratio = target / zoom
        return ViewPoint(x: point.x - (point.x - offset.x) * ratio, y: point.y - (point.y - offset.y) * ratio)
    }

    /// The nearest offset to which a gesture can pull the image.
    private func reachableOffset(_ offset: ViewPoint, at zoom: Double) -> ViewPoint {
        func reachable(_ value: Double, _ limits: ClosedRange<Double>, _ length: Double) -> Double {
            value.clamped(to: limits.lowerBound - length...limits.upperBound + length)
        }
        let limits = offsetLimits(at: zoom)
        return ViewPoint(
            x: reachable(offset.x, limits.x, viewSize.width), y: reachable(offset.y, limits.y, viewSize.height))
    }

    private static func panned(
        _ value: Double, by way: Double, within limits: ClosedRange<Double>, length: Double, _ bounds: Bounds
    ) -> Double {
        switch bounds {
        case .clamp:
            // From out of bounds it may move back, but doesn't jump.
            (value + way).clamped(to: min(value, limits.lowerBound)...max(value, limits.upperBound))
        case .rubberBand: RubberBand(length: length).moved(value, by: way, within: limits)
        }
    }
}
