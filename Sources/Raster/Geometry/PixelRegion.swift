/// A rectangle in pixels whose edges may lie between pixels, its origin at the top left.
///
/// Pixel (0, 0) covers 0…1 both ways, so that its centre is at (0.5, 0.5).
public struct PixelRegion: Hashable, Sendable, Codable {
    /// The left edge.
    public var x: Double
    /// The top edge.
    public var y: Double
    /// From the left edge to the right.
    public var width: Double
    /// From the top edge to the bottom.
    public var height: Double

    /// A rectangle of `width` × `height` whose top left corner is at (`x`, `y`).
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The whole pixels of `rect`.
    public init(_ rect: PixelRect) {
        self.init(x: Double(rect.x), y: Double(rect.y), width: Double(rect.width), height: Double(rect.height))
    }

    /// The whole of a picture of `size`.
    public init(_ size: PixelSize) { self.init(PixelRect(size)) }

    /// Whether it has an extent and lies wholly within a picture of `size`.
    public func lies(within size: PixelSize) -> Bool {
        // A comparison with something that isn't a number is false.
        guard x >= 0, y >= 0, width > 0, height > 0 else { return false }
        return x + width <= Double(size.width) && y + height <= Double(size.height)
    }
}
