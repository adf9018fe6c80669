/// A Gaussian's weights as whole numbers with 15 bits after the point.
struct FixedKernel: Sendable {
    /// The weight at each distance, 0 first; all of them, both ways, add up to exactly 1.
    let weights: [Int16]

    /// The largest distance that counts.
    var reach: Int { weights.count - 1 }

    /// `kernel`, whose middle weight is less than 1.
    init(_ kernel: GaussianKernel) {
        var weights = [Int16](repeating: 0, count: kernel.weights.count)
        // Sums are rounded and not weights, so that what rounding takes from one weight the next one gets.
        var (sum, given) = (0.0, 0)
        for distance in stride(from: kernel.reach, to: 0, by: -1) {
            sum += kernel.weights[distance]
            let upTo = Int((sum * 32768).rounded())
            weights[distance] = Int16(upTo - given)
            given = upTo
        }
        weights[0] = Int16(min(32767, 32768 - 2 * given))
        self.weights = weights
    }
}
