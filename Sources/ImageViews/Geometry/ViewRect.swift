/// A place in a view, or a way from one to another: in points, x to the right and y down.
public struct ViewPoint: Hashable, Sendable {
    /// Points to the right.
    public var x: Double
    /// Points down.
    public var y: Double

    /// The top left corner.
    public static let zero = ViewPoint(x: 0, y: 0)

    /// The place `x` points from the left and `y` from the top.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    /// Whether both are numbers.
    public var isFinite: Bool { x.isFinite && y.isFinite }

    /// The sum, side by side.
    public static func + (a: ViewPoint, b: ViewPoint) -> ViewPoint { ViewPoint(x: a.x + b.x, y: a.y + b.y) }

    /// The way from `b` to `a`.
    public static func - (a: ViewPoint, b: ViewPoint) -> ViewPoint { ViewPoint(x: a.x - b.x, y: a.y - b.y) }
}

/// A width and a height in points.
public struct ViewSize: Hashable, Sendable {
    /// Points from left to right.
    public var width: Double
    /// Points from top to bottom.
    public var height: Double

    /// No extent.
    public static let zero = ViewSize(width: 0, height: 0)

    /// A size of `width` × `height` points.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    /// Whether there is nothing of it; also of what isn't a number.
    public var isEmpty: Bool { !(width > 0 && height > 0) }
}

/// A rectangle in points, its origin at the top left.
public struct ViewRect: Hashable, Sendable {
    /// The left edge.
    public var x: Double
    /// The top edge.
    public var y: Double
    /// From the left edge to the right.
    public var width: Double
    /// From the top edge to the bottom.
    public var height: Double

    /// A rectangle of `width` × `height` points whose top left corner is at (`x`, `y`).
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The whole of a view of `size`.
    public init(_ size: ViewSize) { self.init(x: 0, y: 0, width: size.width, height: size.height) }

    /// The rectangle between two edges each way.
    init(left: Double, top: Double, right: Double, bottom: Double) {
        self.init(x: left, y: top, width: right - left, height: bottom - top)
    }

    /// The right edge.
    public var right: Double { x + width }
    /// The bottom edge.
    public var bottom: Double { y + height }
    /// The top left corner.
    public var origin: ViewPoint { ViewPoint(x: x, y: y) }
    /// Its width and height.
    public var size: ViewSize { ViewSize(width: width, height: height) }
    /// Its middle.
    public var center: ViewPoint { ViewPoint(x: x + width / 2, y: y + height / 2) }
    /// Whether there is nothing of it; also of what isn't a number.
    public var isEmpty: Bool { size.isEmpty }

    /// Whether the point lies in it or on its left or top edge.
    public func contains(_ point: ViewPoint) -> Bool {
        point.x >= x && point.x < right && point.y >= y && point.y < bottom
    }

    /// What both have in common: empty when that is nothing.
    public func intersection(_ other: ViewRect) -> ViewRect {
        let (left, top) = (max(x, other.x), max(y, other.y))
        let (right, bottom) = (min(right, other.right), min(bottom, other.bottom))
        return ViewRect(x: left, y: top, width: max(0, right - left), height: max(0, bottom - top))
    }

    /// The same rectangle elsewhere.
    public func moved(by way: ViewPoint) -> ViewRect {
        ViewRect(x: x + way.x, y: y + way.y, width: width, height: height)
    }
}

/// A place in an image: in pixels of the upright image, x to the right and y down. Pixel (0, 0) covers 0…1 both ways.
public struct PicturePoint: Hashable, Sendable {
    /// Pixels from the left.
    public var x: Double
    /// Pixels from the top.
    public var y: Double

    /// The place `x` pixels from the left and `y` from the top.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}
