/// A point in a view, or the vector between two: in points, x to the right and y down.
public struct ViewPoint: Hashable, Sendable {
    /// Points from the left.
    public var x: Double
    /// Points from the top.
    public var y: Double

    /// The top left corner of a view.
    public static let zero = ViewPoint(x: 0, y: 0)

    /// A point `x` points from the left and `y` from the top.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    /// Whether neither is infinite or NaN.
    public var isFinite: Bool { x.isFinite && y.isFinite }

    /// The sum of both coordinates.
    public static func + (a: ViewPoint, b: ViewPoint) -> ViewPoint { ViewPoint(x: a.x + b.x, y: a.y + b.y) }

    /// The vector from `b` to `a`.
    public static func - (a: ViewPoint, b: ViewPoint) -> ViewPoint { ViewPoint(x: a.x - b.x, y: a.y - b.y) }
}

/// A width and a height in points.
public struct ViewSize: Hashable, Sendable {
    /// Points from left to right.
    public var width: Double
    /// Points from top to bottom.
    public var height: Double

    /// A size of 0 × 0.
    public static let zero = ViewSize(width: 0, height: 0)

    /// A size of `width` × `height` points.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    /// Whether it has no area; true for NaN.
    public var isEmpty: Bool { !(width > 0 && height > 0) }
}

/// A rectangle in points, its origin at the top left.
public struct ViewRect: Hashable, Sendable {
    /// The left edge.
    public var x: Double
    /// The top edge.
    public var y: Double
    /// Points from the left edge to the right.
    public var width: Double
    /// Points from the top edge to the bottom.
    public var height: Double

    /// A rectangle of `width` × `height` points whose top left corner is at (`x`, `y`).
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// All of a view of `size`.
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
    /// The width and the height.
    public var size: ViewSize { ViewSize(width: width, height: height) }
    /// The centre.
    public var center: ViewPoint { ViewPoint(x: x + width / 2, y: y + height / 2) }
    /// Whether it has no area; true for NaN.
    public var isEmpty: Bool { size.isEmpty }

    /// Whether the point lies inside or on the left or top edge.
    public func contains(_ point: ViewPoint) -> Bool {
        point.x >= x && point.x < right && point.y >= y && point.y < bottom
    }

    /// The intersection, empty if they don't overlap.
    public func intersection(_ other: ViewRect) -> ViewRect {
        let (left, top) = (max(x, other.x), max(y, other.y))
        let (right, bottom) = (min(right, other.right), min(bottom, other.bottom))
        return ViewRect(x: left, y: top, width: max(0, right - left), height: max(0, bottom - top))
    }

    /// The same rectangle moved by a vector.
    public func moved(by way: ViewPoint) -> ViewRect {
        ViewRect(x: x + way.x, y: y + way.y, width: width, height: height)
    }
}

/// A point in an image: in pixels of the upright image, x to the right and y down. Pixel (0, 0) covers 0…1 both ways.
public struct PicturePoint: Hashable, Sendable {
    /// Pixels from the left.
    public var x: Double
    /// Pixels from the top.
    public var y: Double

    /// A point `x` pixels from the left and `y` from the top.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}
