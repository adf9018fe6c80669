/// A picture that goes on after a pan.
struct ZoomGlide: Hashable, Sendable {
    var x: AxisGlide
    var y: AxisGlide
    /// Seconds since it was let go.
    var time = 0.0

    init(x: AxisGlide, y: AxisGlide) {
        self.x = x
        self.y = y
    }

    var offset: ViewPoint { ViewPoint(x: x.position(at: time), y: y.position(at: time)) }
    var isOver: Bool { time >= x.duration && time >= y.duration }
}
