internal import Platform

extension ZoomModel {
    /// Whether it moves by itself: `advance` has something to do.
    public var isMoving: Bool { motion != nil }

    /// Lets time pass. The same time in other steps ends at the same place.
    /// - Returns: Whether it is still moving.
    @discardableResult
    public mutating func advance(by time: Duration) -> Bool {
        let seconds = max(0, time / .seconds(1))
        switch motion {
        case nil: break
        case .glide(var glide):
            glide.time += seconds
            offset = glide.offset
            motion = glide.isOver ? nil : .glide(glide)
        case .transition(var transition):
            transition.time += seconds
            (zoom, offset) = transition.current
            motion = transition.isOver ? nil : .transition(transition)
        }
        return motion != nil
    }

    /// Goes to the end of what it is on its way to.
    mutating func finishTransition() {
        guard case .transition(let transition) = motion else { return }
        (zoom, offset) = (transition.endZoom, transition.endOffset)
        motion = nil
    }
}

/// What moves an image while time passes.
enum ZoomMotion: Hashable, Sendable {
    /// It goes on after a pan, or comes back.
    case glide(ZoomGlide)
    /// It is on its way from one place and size to another.
    case transition(ZoomTransition)
}

/// An image on its way from one place and size to another: one place of the view, perhaps far outside, is left where it is
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

/// An image that goes on after a pan.
struct ZoomGlide: Hashable, Sendable {
    var x: AxisGlide
    var y: AxisGlide
    /// Seconds since it was let go.
    var time = 0.0

    var offset: ViewPoint { ViewPoint(x: x.position(at: time), y: y.position(at: time)) }
    var isOver: Bool { time >= x.duration && time >= y.duration }
}

/// How an image that was let go moves on one axis: slower and slower, and beyond an end back as a critically damped
/// spring. A closed form of time, so that it is the same whatever steps it is looked at in.
struct AxisGlide: Hashable, Sendable {
    private let start: Double
    private let velocity: Double
    private let limits: ClosedRange<Double>
    private let length: Double
    private let springs: Bool
    /// When it gets to an end; infinite when it doesn't.
    private let crossing: Double
    /// When it is at rest, in seconds.
    let duration: Double

    /// Speed goes down to 1/e in 1/friction seconds.
    private static let friction = 4.0
    /// Per second.
    private static let stiffness = 14.0
    /// Points per second: slower is at rest.
    private static let leastSpeed = 6.0
    /// Seconds that a spring takes: what is left is less than a tenth of a point.
    private static let springDuration = 1.0

    init(
        _ start: Double, _ velocity: Double, within limits: ClosedRange<Double>, length: Double,
        _ bounds: ZoomModel.Bounds
    ) {
        let velocity = velocity.clamped(to: -20_000...20_000)
        self.start = start
        self.limits = limits
        self.length = length
        let isOutside = !limits.contains(start)
        // An image that can't be moved on this axis isn't pulled off it by a slanted throw.
        let moves = limits.upperBound > limits.lowerBound || isOutside
        self.velocity = moves ? velocity : 0
        springs = bounds == .rubberBand || isOutside
        if isOutside {
            crossing = 0
            duration = Self.springDuration
            return
        }
        let speed = abs(self.velocity)
        let room = self.velocity < 0 ? start - limits.lowerBound : limits.upperBound - start
        let rest = speed > Self.leastSpeed ? log(speed / Self.leastSpeed) / Self.friction : 0
        let reached =
            speed > 0 && Self.friction * room < speed
            ? -log(1 - Self.friction * room / speed) / Self.friction : .infinity
        crossing = reached < rest ? reached : .infinity
        duration = crossing == .infinity ? rest : springs ? crossing + Self.springDuration : crossing
    }

    func position(at time: Double) -> Double {
        if time < crossing {
            let passed = min(time, duration)
            return (start + velocity / Self.friction * (1 - exp(-Self.friction * passed))).clamped(to: limits)
        }
        let end =
            velocity < 0 && crossing > 0
            ? limits.lowerBound : velocity > 0 && crossing > 0 ? limits.upperBound : start.clamped(to: limits)
        guard springs, time < duration else { return end }
        let distance = crossing > 0 ? 0 : start - end
        let speed = (velocity * exp(-Self.friction * crossing)).clamped(
            to: -Self.stiffness * length...Self.stiffness * length)
        let passed = time - crossing
        let way = (distance + (speed + Self.stiffness * distance) * passed) * exp(-Self.stiffness * passed)
        return end + way.clamped(to: -length...length)
    }
}

/// Resistance beyond an end: a pull of `x` moves by `length * (1 - 1 / (x * stiffness / length + 1))`, which is less than
/// `length` however far it goes. What a pull moves depends on where it ends alone, not on the steps that it came in.
struct RubberBand {
    /// What no pull reaches.
    let length: Double
    private static let stiffness = 0.55

    /// Of logarithms: a zoom goes up to twice as far.
    static let zoom = RubberBand(length: log(2))

    /// Where `value`, which may be beyond the limits, gets to.
    func moved(_ value: Double, by way: Double, within limits: ClosedRange<Double>) -> Double {
        guard length > 0 else { return value.clamped(to: limits) }
        let rest = value.clamped(to: limits)
        let pulled = rest + pull(value - rest) + way
        let end = pulled.clamped(to: limits)
        return end + give(pulled - end)
    }

    /// Where a zoom gets to by a factor.
    func scaled(_ zoom: Double, by factor: Double, within limits: ClosedRange<Double>) -> Double {
        // What is inside stays exact.
        if limits.contains(zoom), limits.contains(zoom * factor) { return zoom * factor }
        return exp(moved(log(zoom), by: log(factor), within: log(limits.lowerBound)...log(limits.upperBound)))
    }

    /// How far a pull moves.
    private func give(_ pull: Double) -> Double {
        let distance = length * (1 - 1 / (abs(pull) * Self.stiffness / length + 1))
        return pull < 0 ? -distance : distance
    }

    /// The pull that moves as far.
    private func pull(_ give: Double) -> Double {
        let share = min(abs(give) / length, 0.99)
        let pull = length / Self.stiffness * (1 / (1 - share) - 1)
        return give < 0 ? -pull : pull
    }
}
