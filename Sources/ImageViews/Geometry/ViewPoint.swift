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
