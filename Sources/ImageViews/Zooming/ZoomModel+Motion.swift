internal import Platform

extension ZoomModel {
    /// Whether an animation is running, so that `advance` is needed.
    public var isMoving: Bool { motion != nil }

    /// Advances the animation. The step size doesn't affect where it ends.
    /// - Returns: Whether the image is still moving.
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

    /// Jumps to the end of a transition.
    mutating func finishTransition() {
        guard case .transition(let transition) = motion else { return }
        (zoom, offset) = (transition.endZoom, transition.endOffset)
        motion = nil
    }
}

/// The motion of an image over time.
enum ZoomMotion: Hashable, Sendable {
    /// Gliding after a pan, or returning into bounds.
    case glide(ZoomGlide)
    /// A transition from one place and zoom to another.
    case transition(ZoomTransition)
}

/// A transition from one place and zoom to another. One point of the view, perhaps far outside it, is fixed throughout.
struct ZoomTransition: Hashable, Sendable {
    let zoom: Double
    let offset: ViewPoint
    let endZoom: Double
    let endOffset: ViewPoint
    /// Seconds since it began.
    var time = 0.0

    /// Its duration in seconds.
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

/// An image that glides after a pan.
struct ZoomGlide: Hashable, Sendable {
    var x: AxisGlide
    var y: AxisGlide
    /// Seconds since it was released.
    var time = 0.0

    var offset: ViewPoint { ViewPoint(x: x.position(at: time), y: y.position(at: time)) }
    var isOver: Bool { time >= x.duration && time >= y.duration }
}

/// The motion of a released image along one axis: decelerating, and out of bounds returning as a critically damped
/// spring. A closed form of time, so that the step size doesn't matter.
struct AxisGlide: Hashable, Sendable {
    private let start: Double
    private let velocity: Double
    private let limits: ClosedRange<Double>
    private let length: Double
    private let springs: Bool
    /// The time at which it reaches a limit; infinite if it doesn't.
    private let crossing: Double
    /// The time at which it is at rest, in seconds.
    let duration: Double

    /// Per second: the speed falls to 1/e in 1/friction seconds.
    private static let friction = 4.0
    /// The spring's angular frequency, per second.
    private static let stiffness = 14.0
    /// Points per second below which it is at rest.
    private static let leastSpeed = 6.0
    /// Seconds after which the spring is within a tenth of a point of its end.
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
        // An image that can't move along this axis isn't moved off it by a diagonal flick.
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

/// Resistance out of bounds: a pull of `x` moves by `length * (1 - 1 / (x * stiffness / length + 1))`, always less than
/// `length`. The result depends only on the pull's end, not on its steps.
struct RubberBand {
    /// The limit of the movement.
    let length: Double
    private static let stiffness = 0.55

    /// On logarithms: a zoom can be pulled by a factor of at most two.
    static let zoom = RubberBand(length: log(2))

    /// The result of moving `value`, which may be out of bounds, by `way`.
    func moved(_ value: Double, by way: Double, within limits: ClosedRange<Double>) -> Double {
        guard length > 0 else { return value.clamped(to: limits) }
        let rest = value.clamped(to: limits)
        let pulled = rest + pull(value - rest) + way
        let end = pulled.clamped(to: limits)
        return end + give(pulled - end)
    }

    /// The result of zooming by a factor.
    func scaled(_ zoom: Double, by factor: Double, within limits: ClosedRange<Double>) -> Double {
        // Exact within the limits.
        if limits.contains(zoom), limits.contains(zoom * factor) { return zoom * factor }
        return exp(moved(log(zoom), by: log(factor), within: log(limits.lowerBound)...log(limits.upperBound)))
    }

    /// The movement of a pull.
    private func give(_ pull: Double) -> Double {
        let distance = length * (1 - 1 / (abs(pull) * Self.stiffness / length + 1))
        return pull < 0 ? -distance : distance
    }

    /// The pull of a movement.
    private func pull(_ give: Double) -> Double {
        let share = min(abs(give) / length, 0.99)
        let pull = length / Self.stiffness * (1 / (1 - share) - 1)
        return give < 0 ? -pull : pull
    }
}
