#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The weights of a Gaussian, sampled at whole distances.
struct GaussianKernel: Hashable, Sendable {
    /// The weight at each distance, 0 first; all of them, both ways, add up to 1.
    let weights: [Double]

    /// The largest distance that counts.
    var reach: Int { weights.count - 1 }

    /// A standard deviation of `sigma`; beyond 3.3 of those no value counts, which is 1 part in 1000.
    init(sigma: Double) {
        let reach = Int((3.3 * sigma).rounded(.up))
        let values = (0...reach).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
        let sum = 2 * values.reduce(0, +) - values[0]
        weights = values.map { $0 / sum }
    }
}
