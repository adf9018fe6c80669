/// The cubic B-spline that blurred values are enlarged by.
enum BSpline {
    /// What the four nearest of evenly spaced values count for at `position`, 0…1 between the second and the third.
    static func weights(at position: Double) -> SIMD4<Double> {
        let (t, u) = (position, 1 - position)
        let second = (4 - 6 * t * t + 3 * t * t * t) / 6
        let third = (4 - 6 * u * u + 3 * u * u * u) / 6
        return SIMD4(u * u * u / 6, second, third, t * t * t / 6)
    }
}
