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
