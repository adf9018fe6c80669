/// A place in a picture: in pixels of the upright picture, x to the right and y down. Pixel (0, 0) covers 0…1 both ways.
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
