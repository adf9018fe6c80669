#if GTK
internal import ImageViews

/// How fast a drag was when it ended: its way over the last tenth of a second.
@MainActor
struct DragSpeed {
    private var samples: [(time: Duration, place: ViewPoint)] = []
    private static let window = Duration.milliseconds(100)

    mutating func note(_ place: ViewPoint) {
        let now = ViewTime.now
        samples.removeAll { now - $0.time > Self.window }
        samples.append((now, place))
    }

    /// Points per second; zero when the hand rested.
    var velocity: ViewPoint {
        guard let first = samples.first, let last = samples.last, ViewTime.now - last.time < Self.window else {
            return .zero
        }
        let seconds = (last.time - first.time) / .seconds(1)
        guard seconds > 0.005 else { return .zero }
        return ViewPoint(x: (last.place.x - first.place.x) / seconds, y: (last.place.y - first.place.y) / seconds)
    }
}
#endif
