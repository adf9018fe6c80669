/// How a picture is laid out in bounds of other proportions: UIKit's thirteen ways.
public enum ContentMode: String, Hashable, Sendable, Codable, CaseIterable {
    /// Stretched to the bounds.
    case scaleToFill
    /// As large as it fits, centred.
    case aspectFit
    /// As small as it covers the bounds, centred.
    case aspectFill
    /// As `scaleToFill`.
    case redraw
    /// At its own size, centred.
    case center
    /// At its own size, in the middle of the top edge.
    case top
    /// At its own size, in the middle of the bottom edge.
    case bottom
    /// At its own size, in the middle of the left edge.
    case left
    /// At its own size, in the middle of the right edge.
    case right
    /// At its own size, in the top left corner.
    case topLeft
    /// At its own size, in the top right corner.
    case topRight
    /// At its own size, in the bottom left corner.
    case bottomLeft
    /// At its own size, in the bottom right corner.
    case bottomRight

    /// Where a picture of `width` × `height` goes in bounds, whose origin is (0, 0).
    func rect(
        _ width: Double, _ height: Double, in bounds: (width: Double, height: Double)
    ) -> (x: Double, y: Double, width: Double, height: Double) {
        switch self {
        case .scaleToFill, .redraw:
            return (0, 0, bounds.width, bounds.height)
        case .aspectFit, .aspectFill:
            let (across, down) = (bounds.width / width, bounds.height / height)
            let factor = self == .aspectFit ? min(across, down) : max(across, down)
            let (w, h) = (width * factor, height * factor)
            return ((bounds.width - w) / 2, (bounds.height - h) / 2, w, h)
        default:
            let (right, bottom) = (bounds.width - width, bounds.height - height)
            let x =
                switch self {
                case .left, .topLeft, .bottomLeft: 0.0
                case .right, .topRight, .bottomRight: right
                default: right / 2
                }
            let y =
                switch self {
                case .top, .topLeft, .topRight: 0.0
                case .bottom, .bottomLeft, .bottomRight: bottom
                default: bottom / 2
                }
            return (x, y, width, height)
        }
    }
}
