#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// How a picture that was let go moves on one axis: slower and slower, and beyond an end back as a critically damped
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
        // A picture that can't be moved on this axis isn't pulled off it by a slanted throw.
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
