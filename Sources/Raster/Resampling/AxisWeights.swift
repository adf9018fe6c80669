#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Which old pixels along one side make up each new one, and how much each counts.
package struct AxisWeights: Sendable {
    /// One new pixel: the old ones from `first` on, as many as there are weights. The weights' sum is 1.
    package struct Target: Sendable {
        package var first: Int
        package var weights: [Double]
    }

    package let targets: [Target]

    /// The largest number of old pixels that count for one new one.
    package let longest: Int

    /// Weights for `targetCount` new pixels that cover `extent` old ones from `start` on, of `sourceCount` altogether.
    package init(sourceCount: Int, start: Double, extent: Double, targetCount: Int, filter: ResamplingFilter) {
        let step = extent / Double(targetCount)
        let filter = filter == .automatic ? (step >= 1 ? .area : .lanczos3) : filter
        var targets: [Target] = []
        targets.reserveCapacity(targetCount)
        var longest = 1
        for index in 0..<targetCount {
            let from = start + Double(index) * step
            let target =
                filter == .area
                ? Self.covered(from: from, to: start + Double(index + 1) * step, count: sourceCount)
                : Self.weighted(filter, center: from + step / 2, stretch: max(step, 1), count: sourceCount)
            longest = max(longest, target.weights.count)
            targets.append(target)
        }
        self.targets = targets
        self.longest = longest
    }

    /// Every old pixel by the length of it that lies between `from` and `to`.
    private static func covered(from: Double, to: Double, count: Int) -> Target {
        let first = min(count - 1, max(0, Int(from)))
        let end = min(count, max(first + 1, Int(to.rounded(.up))))
        return normalized(
            first: first,
            (first..<end).map { max(0, min(to, Double($0 + 1)) - max(from, Double($0))) })
    }

    /// Every old pixel by the filter's value at its centre.
    private static func weighted(_ filter: ResamplingFilter, center: Double, stretch: Double, count: Int) -> Target {
        let reach = (filter == .bilinear ? 1 : filter == .bicubic ? 2 : 3) * stretch
        let first = min(count - 1, max(0, Int((center - reach).rounded(.down))))
        let end = min(count, max(first + 1, Int((center + reach).rounded(.up))))
        return normalized(
            first: first, (first..<end).map { value(of: filter, at: (Double($0) + 0.5 - center) / stretch) })
    }

    private static func normalized(first: Int, _ values: [Double]) -> Target {
        guard let left = values.firstIndex(where: { abs($0) > 1e-9 }),
            let right = values.lastIndex(where: { abs($0) > 1e-9 })
        else { return Target(first: first + values.count / 2, weights: [1]) }
        let sum = values[left...right].reduce(0, +)
        return Target(first: first + left, weights: values[left...right].map { $0 / sum })
    }

    /// The filter's value at a distance from its centre, in pixels. `area` has none and counts as Lanczos's.
    package static func value(of filter: ResamplingFilter, at distance: Double) -> Double {
        let x = abs(distance)
        switch filter {
        case .bilinear:
            return max(0, 1 - x)
        case .bicubic:
            if x < 1 { return (1.5 * x - 2.5) * x * x + 1 }
            return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0
        case .automatic, .area, .lanczos3:
            guard x < 3 else { return 0 }
            return sinc(x) * sinc(x / 3)
        }
    }

    private static func sinc(_ x: Double) -> Double {
        x < 1e-12 ? 1 : sin(.pi * x) / (.pi * x)
    }
}
