internal import Raster

/// The corner, side or middle of an image from which a position counts.
public enum Gravity: String, Hashable, Sendable, Codable, CaseIterable {
    /// The top left corner.
    case northwest
    /// The middle of the top edge.
    case north
    /// The top right corner.
    case northeast
    /// The middle of the left edge.
    case west
    /// The middle of the image.
    case center
    /// The middle of the right edge.
    case east
    /// The bottom left corner.
    case southwest
    /// The middle of the bottom edge.
    case south
    /// The bottom right corner.
    case southeast

    /// The origin of a rectangle of `size` on a `canvas`, moved by (`x`, `y`) pixels.
    ///
    /// Offsets lead from an edge towards the middle of the canvas, and from the middle to the right and down.
    func origin(of size: PixelSize, in canvas: PixelSize, x: Int, y: Int) -> (x: Int, y: Int) {
        let across =
            switch self {
            case .northwest, .west, .southwest: x
            case .north, .center, .south: (canvas.width - size.width).halved + x
            case .northeast, .east, .southeast: canvas.width - size.width - x
            }
        let down =
            switch self {
            case .northwest, .north, .northeast: y
            case .west, .center, .east: (canvas.height - size.height).halved + y
            case .southwest, .south, .southeast: canvas.height - size.height - y
            }
        return (across, down)
    }
}

extension Int {
    /// Half of the number, rounded down for negative numbers too.
    fileprivate var halved: Int { self >> 1 }
}
