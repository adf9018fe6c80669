#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

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
