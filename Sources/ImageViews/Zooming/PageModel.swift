/// Images side by side, one of them in the view, and the drags that lead from one to the next: a value, without a toolkit
/// or a clock.
///
/// A drag is the image's or the pages', for as long as it lasts. It is the pages' when it begins sideways and the image
/// was at the edge that it comes from when it began; everything else, zooming above all, never changes the page.
///
/// ```swift
/// pages.beginDrag(zoom)
/// pages.drag(by: way, zoom: &zoom, bounds: .rubberBand)
/// pages.endDrag(velocity: velocity, zoom: &zoom, bounds: .rubberBand)
/// ```
public struct PageModel: Hashable, Sendable {
    /// Who a drag moves.
    public enum Drag: Hashable, Sendable {
        /// Too short to tell.
        case undecided
        /// The image.
        case picture
        /// The pages.
        case pages
    }

    /// How many pages there are.
    public private(set) var count: Int
    /// The page that is shown, or that it is on its way to. 0 without pages.
    public private(set) var index: Int
    /// Where the view is, in pages: between two of them while they move.
    public private(set) var position: Double
    /// Points between two pages.
    public let gap: Double
    /// The drag that is under way.
    public private(set) var drag: Drag?

    private var storedViewSize: ViewSize
    /// What the drag moved before anybody could tell whose it is.
    private var pending = ViewPoint.zero
    /// Whether the image was at its left edge when the drag began, and at its right.
    private var wasAtLeftEdge = false
    private var wasAtRightEdge = false
    private var motion: Motion?

    private struct Motion: Hashable, Sendable {
        let start: Double
        let end: Double
        var time = 0.0
    }

    /// Points that a drag moves before it is told whose it is.
    private static let slop = 6.0
    /// Points per second: a drag that ends faster turns the page.
    private static let turningSpeed = 250.0
    /// Seconds that a page takes to its place.
    private static let duration = 0.3
    /// Points that an image may be off its edge to be at it: less than can be seen.
    private static let edgeTolerance = 0.5

    /// `count` pages in a view, the one at `index` shown.
    public init(count: Int, index: Int = 0, viewSize: ViewSize = .zero, gap: Double = 16) {
        self.count = max(0, count)
        self.index = min(max(0, index), max(0, count - 1))
        position = Double(self.index)
        self.gap = gap.isFinite ? max(0, gap) : 0
        storedViewSize = ZoomModel.sound(viewSize)
    }

    /// Width and height of the view in points. The position is in pages: nothing moves when this changes.
    public var viewSize: ViewSize {
        get { storedViewSize }
        set { storedViewSize = ZoomModel.sound(newValue) }
    }

    /// Points from a page to the next.
    private var stride: Double { viewSize.width + gap }

    /// Where a page is in the view: at its place, to the left or to the right.
    public func frame(of page: Int) -> ViewRect {
        ViewRect(
            x: (Double(page) - position) * stride, y: 0, width: viewSize.width, height: viewSize.height)
    }

    /// The pages of which something is in the view.
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

    /// Whether pages move by themselves: `advance` has something to do.
    public var isMoving: Bool { motion != nil }

    // MARK: Turning

    /// Shows a page; the nearest, where there is none of that number.
    public mutating func show(_ page: Int, animated: Bool = false) {
        cancelDrag()
        index = min(max(0, page), max(0, count - 1))
        settle(animated: animated)
    }

    /// Shows the page after this one, where there is one.
    public mutating func next(animated: Bool = false) { show(index + 1, animated: animated) }

    /// Shows the page before this one, where there is one.
    public mutating func previous(animated: Bool = false) { show(index - 1, animated: animated) }

    /// Takes another number of pages. What was shown stays, while it is there.
    public mutating func setCount(_ count: Int) {
        self.count = max(0, count)
        show(index)
    }

    // MARK: Dragging

    /// Begins a drag: notes at which of its edges the page's image is.
    public mutating func beginDrag(_ zoom: ZoomModel) {
        motion = nil
        pending = .zero
        drag = .undecided
        let limits = zoom.offsetLimits(at: zoom.zoom).x
        wasAtLeftEdge = zoom.offset.x >= limits.upperBound - Self.edgeTolerance
        wasAtRightEdge = zoom.offset.x <= limits.lowerBound + Self.edgeTolerance
        guard position != Double(index) else { return }
        // A finger that comes down while pages move holds the pages, and the nearest of them.
        index = min(max(0, Int(position.rounded())), max(0, count - 1))
        (drag, wasAtLeftEdge, wasAtRightEdge) = (.pages, true, true)
    }

    /// Goes on with the drag: moves the pages or the image.
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

    /// Ends the drag: a page turns when it was moved by half, or fast; an image goes on at `velocity` (points per second).
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
                // Thrown back, it stays.
                if speed * moved > 0 { index += speed > 0 ? 1 : -1 }
            } else if abs(moved) > 0.5 {
                index += moved > 0 ? 1 : -1
            }
            index = min(max(0, index), max(0, count - 1))
            settle(animated: true)
        }
    }

    /// Gives a drag up, as when a second finger comes down: the page stays.
    public mutating func cancelDrag() {
        drag = nil
        settle(animated: true)
    }

    /// Lets time pass.
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

    /// Moves the pages under a finger: no further than to the next, and only to the side that the image was at; past the
    /// first and the last with resistance.
    private mutating func movePages(by way: Double) {
        guard stride > 0, count > 0 else { return }
        let first = wasAtLeftEdge ? max(0, index - 1) : index
        let last = wasAtRightEdge ? min(count - 1, index + 1) : index
        let limits = Double(first)...Double(last)
        let moved = RubberBand(length: 0.3).moved(position, by: -way / stride, within: limits)
        // Resistance is for the ends of the row alone.
        position = moved.clamped(
            to: (first == 0 ? -1 : limits.lowerBound)...(last == count - 1 ? Double(count) : limits.upperBound))
    }
}
