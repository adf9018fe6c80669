#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The blur of an opaque line: along each side of an opaque rectangle its blur is this, and within it their product.
enum ShadowProfile {
    /// How much of a line from 0 to `length` there is at each place of `window` once it's blurred, 0…1.
    static func values(sigma: Double, length: Int, window: Range<Int>) -> [Float] {
        guard sigma > 0 else { return window.map { $0 >= 0 && $0 < length ? 1 : 0 } }
        // Beyond so many the Gaussian's share is less than 1 in 100000.
        let reach = Int((4.5 * sigma).rounded(.up))
        var sums = [0.0]
        for distance in -reach...reach {
            sums.append(sums[sums.count - 1] + exp(-Double(distance * distance) / (2 * sigma * sigma)))
        }
        let all = sums[sums.count - 1]
        /// What lies before a distance.
        func before(_ distance: Int) -> Double { sums[min(max(0, distance + reach), sums.count - 1)] }
        return window.map { place in
            // The line's pixels lie from -place on, seen from here.
            Float((before(length - place) - before(-place)) / all)
        }
    }
}
