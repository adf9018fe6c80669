/// Images side by side, one of them in the view, and the drags between them: a value, independent of toolkit and clock.
///
/// Each drag moves either the image or the pages, to its end. It moves the pages if it starts sideways, away from an
/// edge that the image was at when it began. Anything else, zooming in particular, never changes the page.
///
/// ```swift
/// pages.beginDrag(zoom)
/// pages.drag(by: way, zoom: &zoom, bounds: .rubberBand)
/// pages.endDrag(velocity: velocity, zoom: &zoom, bounds: .rubberBand)
/// ```
public struct PageModel: Hashable, Sendable {
    /// The target of a drag.
    public enum Drag: Hashable, Sendable {
        /// The drag is still too short to decide.
        case undecided
        /// The drag moves the image.
        case picture
        /// The drag moves the pages.
        case pages
    }

    /// The number of pages.
    public private(set) var count: Int
    /// The current page, or the one that it is moving to. 0 without pages.
    public private(set) var index: Int
    /// The view's position in pages: fractional while they move.
    public private(set) var position: Double
    /// The distance between two pages in points.
    public let gap: Double
    /// The current drag.
    public private(set) var drag: Drag?

    private var storedViewSize: ViewSize
    /// The movement of the drag before its target is decided.
    private var pending = ViewPoint.zero
    /// Whether the image was at its left edge, and at its right, when the drag began.
    private var wasAtLeftEdge = false
    private var wasAtRightEdge = false
    private var motion: Motion?

    private struct Motion: Hashable, Sendable {
        let start: Double
        let end: Double
        var time = 0.0
    }

    /// Points that a drag moves before its target is decided.
    private static let slop = 6.0
    /// Points per second; a faster drag turns the page.
    private static let turningSpeed = 250.0
    /// Seconds that a page takes to move to its place.
    private static let duration = 0.3
    /// Points within which an image counts as being at its edge.
    private static let edgeTolerance = 0.5

    /// `count` pages in a view, with the page at `index` current.
    public init(count: Int, index: Int = 0, viewSize: ViewSize = .zero, gap: Double = 16) {
        self.count = max(0, count)
        self.index = min(max(0, index), max(0, count - 1))
        position = Double(self.index)
        self.gap = gap.isFinite ? max(0, gap) : 0
        storedViewSize = ZoomModel.sound(viewSize)
    }

    /// The view's size in points. The position is in pages, so a change moves nothing.
    public var viewSize: ViewSize {
        get { storedViewSize }
        set { storedViewSize = ZoomModel.sound(newValue) }
    }

    /// Points from one page to the next.
    private var stride: Double { viewSize.width + gap }

    /// The rectangle of a page in the view's points: in the view, or to the left or right of it.
    public func frame(of page: Int) -> ViewRect {
        ViewRect(
            x: (Double(page) - position) * stride, y: 0, width: viewSize.width, height: viewSize.height)
    }

    /// The pages that are at least partly in the view.
    public var visiblePages: Range<Int> {
        guard count > 0 else { return 0..<0 }
        guard !viewSize.isEmpty else { return index..<index + 1 }
        let pages = Int(position.rounded(.down))...Int(position.rounded(.up))
        let visible = pages.filter { page in
            0..<count ~= page && !frame(of: page).intersection(ViewRect(viewSize)).isEmpty
        }
        guard let first = visible.first, let last = visible.last else { return index..<index + 1 }
        return first..<last + 1
    }

    /// Whether an animation is running, so that `advance` is needed.
    public var isMoving: Bool { motion != nil }

    // MARK: Turning

    /// Moves to a page, or the nearest that exists.
    public mutating func show(_ page: Int, animated: Bool = false) {
        cancelDrag()
        index = min(max(0, page), max(0, count - 1))
        settle(animated: animated)
    }

    /// Moves to the next page, if there is one.
    public mutating func next(animated: Bool = false) { show(index + 1, animated: animated) }

    /// Moves to the previous page, if there is one.
    public mutating func previous(animated: Bool = false) { show(index - 1, animated: animated) }

    /// Changes the number of pages. The current page stays, if it still exists.
    public mutating func setCount(_ count: Int) {
        self.count = max(0, count)
        show(index)
    }

    // MARK: Dragging

    /// Begins a drag, and records at which of its edges the page's image is.
    public mutating func beginDrag(_ zoom: ZoomModel) {
        motion = nil
        pending = .zero
        drag = .undecided
        let limits = zoom.offsetLimits(at: zoom.zoom).x
        wasAtLeftEdge = zoom.offset.x >= limits.upperBound - Self.edgeTolerance
        wasAtRightEdge = zoom.offset.x <= limits.lowerBound + Self.edgeTolerance
        guard position != Double(index) else { return }
        // A drag that begins while pages move takes hold of the nearest page.
        index = min(max(0, Int(position.rounded())), max(0, count - 1))
        (drag, wasAtLeftEdge, wasAtRightEdge) = (.pages, true, true)
    }

    /// Continues the drag: moves the pages or the image.
    public mutating func drag(by way: ViewPoint, zoom: inout ZoomModel, bounds: ZoomModel.Bounds = .clamp) {
        guard way.isFinite, let drag else { return }
        switch drag {
        case .picture: zoom.pan(by: way, bounds: bounds)
        case .pages: movePages(by: way.x)
        case .undecided:
            pending = pending + way
            guard max(abs(pending.x), abs(pending.y)) >= Self.slop else { return }
            let isSideways = abs(pending.x) > abs(pending.y)
            let turns = isSideways && (pending.x > 0 ? wasAtLeftEdge : wasAtRightEdge)
            self.drag = turns ? .pages : .picture
            let whole = pending
            pending = .zero
            self.drag(by: whole, zoom: &zoom, bounds: bounds)
        }
    }

    /// Ends the drag: turns the page if it was moved by half or fast, or lets the image glide from `velocity` (points
    /// per second).
    public mutating func endDrag(
        velocity: ViewPoint = .zero, zoom: inout ZoomModel, bounds: ZoomModel.Bounds = .clamp
    ) {
        let (drag, start) = (drag, index)
        self.drag = nil
        switch drag {
        case nil, .undecided: zoom.endPan(bounds: bounds)
        case .picture: zoom.endPan(velocity: velocity, bounds: bounds)
        case .pages:
            let moved = position - Double(start)
            let speed = velocity.x.isFinite ? -velocity.x : 0
            if abs(speed) > Self.turningSpeed {
                // A flick back keeps the page.
                if speed * moved > 0 { index += speed > 0 ? 1 : -1 }
            } else if abs(moved) > 0.5 {
                index += moved > 0 ? 1 : -1
            }
            index = min(max(0, index), max(0, count - 1))
            settle(animated: true)
        }
    }

    /// Cancels the drag, as when a second finger touches: the page stays.
    public mutating func cancelDrag() {
        drag = nil
        settle(animated: true)
    }

    /// Advances the animation.
    /// - Returns: Whether pages are still moving.
    @discardableResult
    public mutating func advance(by time: Duration) -> Bool {
        guard var motion else { return false }
        motion.time += max(0, time / .seconds(1))
        let left = max(0, 1 - motion.time / Self.duration)
        position = motion.end + (motion.start - motion.end) * left * left * left
        self.motion = left > 0 ? motion : nil
        return left > 0
    }

    private mutating func settle(animated: Bool) {
        let end = Double(index)
        if animated, position != end {
            motion = Motion(start: position, end: end)
        } else {
            (position, motion) = (end, nil)
        }
    }

    /// Moves the pages with a finger: at most to the next page, only on the side whose edge the image was at, and with
    /// resistance beyond the first and the last.
    private mutating func movePages(by way: Double) {
        guard stride > 0, count > 0 else { return }
        let first = wasAtLeftEdge ? max(0, index - 1) : index
        let last = wasAtRightEdge ? min(count - 1, index + 1) : index
        let limits = Double(first)...Double(last)
        let moved = RubberBand(length: 0.3).moved(position, by: -way / stride, within: limits)
        // There is resistance only at the ends of the row.
        position = moved.clamped(
            to: (first == 0 ? -1 : limits.lowerBound)...(last == count - 1 ? Double(count) : limits.upperBound))
    }
}
