#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A picture on its way from one place and size to another: one place of the view, perhaps far outside, is left where it is
/// all the way.
struct ZoomTransition: Hashable, Sendable {
    let zoom: Double
    let offset: ViewPoint
    let endZoom: Double
    let endOffset: ViewPoint
    /// Seconds since it began.
    var time = 0.0

    /// Seconds that it takes.
    private static let duration = 0.25

    init(zoom: Double, offset: ViewPoint, endZoom: Double, endOffset: ViewPoint) {
        self.zoom = zoom
        self.offset = offset
        self.endZoom = endZoom
        self.endOffset = endOffset
    }

    var isOver: Bool { time >= Self.duration }

    var current: (zoom: Double, offset: ViewPoint) {
        guard !isOver else { return (endZoom, endOffset) }
        // Fast at first.
        let left = 1 - time / Self.duration
        let share = 1 - left * left * left
        let now = zoom * pow(endZoom / zoom, share)
        let way = abs(endZoom - zoom) > 1e-6 * zoom ? (now - zoom) / (endZoom - zoom) : share
        return (
            now,
            ViewPoint(
                x: offset.x + (endOffset.x - offset.x) * way, y: offset.y + (endOffset.y - offset.y) * way)
        )
    }
}
