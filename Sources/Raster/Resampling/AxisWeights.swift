internal import Platform

/// The old pixels along one side that contribute to each new one, with their weights.
package struct AxisWeights: Sendable {
    /// A new pixel: the old ones from `first` on, one for each weight. The weights' sum is 1.
    package struct Target: Sendable {
        package var first: Int
        package var weights: [Double]

        /// The pixel behind the last one.
        var end: Int { first + weights.count }
    }

    package let targets: [Target]

    /// The largest number of old pixels that contribute to a new one.
    package let longest: Int

    /// Weights for `targetCount` new pixels that cover `extent` old ones from `start` on, out of `sourceCount`.
    package init(sourceCount: Int, start: Double, extent: Double, targetCount: Int, filter: ResamplingFilter) {
        let step = extent / Double(targetCount)
        var targets: [Target] = []
        targets.reserveCapacity(targetCount)
        var longest = 1
        // At whole ratios the new pixels lie alike between old ones, and share their weights.
        let isWhole = filter != .area && step == step.rounded()
        let reach = Int((Double(filter.reach) * max(step, 1)).rounded(.up)) + 1
        for index in 0..<targetCount {
            let from = start + Double(index) * step
            var target: Target
            if isWhole, let last = targets.last, Int(from - step) >= reach, Int(from + step) + reach < sourceCount {
                target = last
                target.first += Int(step)
            } else {
                target =
                    filter == .area
                    ? Self.covered(from: from, to: start + Double(index + 1) * step, count: sourceCount)
                    : Self.weighted(filter, center: from + step / 2, stretch: max(step, 1), count: sourceCount)
            }
            longest = max(longest, target.weights.count)
            targets.append(target)
        }
        self.targets = targets
        self.longest = longest
    }

    /// Weights each old pixel by the length of its part between `from` and `to`.
    private static func covered(from: Double, to: Double, count: Int) -> Target {
        let first = min(count - 1, max(0, Int(from)))
        let end = min(count, max(first + 1, Int(to.rounded(.up))))
        return normalized(
            first: first,
            (first..<end).map { max(0, min(to, Double($0 + 1)) - max(from, Double($0))) })
    }

    /// Weights each old pixel by the filter's value at its centre.
    private static func weighted(_ filter: ResamplingFilter, center: Double, stretch: Double, count: Int) -> Target {
        let reach = Double(filter.reach) * stretch
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

    /// The filter's value at a distance from its centre, in pixels. `area` has none and uses Lanczos's.
    package static func value(of filter: ResamplingFilter, at distance: Double) -> Double {
        let x = abs(distance)
        switch filter {
        case .bilinear:
            return max(0, 1 - x)
        case .bicubic:
            if x < 1 { return (1.5 * x - 2.5) * x * x + 1 }
            return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0
        case .mitchell:
            if x < 1 { return ((7 * x - 12) * x * x + 16.0 / 3) / 6 }
            return x < 2 ? (((-7.0 / 3 * x + 12) * x - 20) * x + 32.0 / 3) / 6 : 0
        case .automatic, .area, .lanczos3:
            guard x < 3 else { return 0 }
            return sinc(x) * sinc(x / 3)
        }
    }

    private static func sinc(_ x: Double) -> Double {
        x < 1e-12 ? 1 : sin(.pi * x) / (.pi * x)
    }
}

/// Weights along one side as 16-bit integers: 1 is 2 to the power of `shift`.
package struct FixedWeights: Sendable {
    /// For each new pixel, the first old one.
    package private(set) var firsts: [Int32] = []
    /// For each new pixel, the number of its weights: a multiple of the requested unit, padded with zeros.
    package private(set) var counts: [Int32] = []
    /// For each new pixel, the index of its first weight.
    package private(set) var offsets: [Int32] = []
    /// All weights, consecutive for each pixel.
    package private(set) var values: [Int16] = []
    /// The number of fraction bits.
    package let shift: Int

    /// No weights at all.
    static let none = FixedWeights(
        AxisWeights(sourceCount: 1, start: 0, extent: 1, targetCount: 1, filter: .area), largestShift: 0, unit: 1)

    /// `weights` with as many bits as fit, up to `largestShift`; their sum stays exactly 1.
    package init(_ weights: AxisWeights, largestShift: Int, unit: Int) {
        var largest = 0.0
        for target in weights.targets { for weight in target.weights { largest = max(largest, abs(weight)) } }
        var shift = largestShift
        while shift > 0, largest * Double(1 << shift) > 32766 { shift -= 1 }
        self.shift = shift
        firsts.reserveCapacity(weights.targets.count)
        let one = Double(1 << shift)
        for target in weights.targets {
            firsts.append(Int32(target.first))
            offsets.append(Int32(values.count))
            // Cumulative sums are rounded, not weights, so that each rounding error is carried to the next weight.
            var (sum, given) = (0.0, 0)
            for (index, weight) in target.weights.enumerated() {
                sum += weight
                let upTo = index == target.weights.count - 1 ? 1 << shift : Int((sum * one).rounded())
                values.append(Int16(upTo - given))
                given = upTo
            }
            while (values.count - Int(offsets[offsets.count - 1])) % unit != 0 { values.append(0) }
            counts.append(Int32(values.count) - offsets[offsets.count - 1])
        }
    }
}

/// Weights along one side as floating point numbers.
struct FloatWeights: Sendable {
    /// For each new pixel, the first old one.
    private(set) var firsts: [Int32] = []
    /// For each new pixel, the index of its first weight; and at the end the number of weights.
    private(set) var offsets: [Int32] = [0]
    /// All weights, consecutive for each pixel.
    private(set) var values: [Float] = []

    /// No weights at all.
    static let none = FloatWeights(
        AxisWeights(sourceCount: 1, start: 0, extent: 1, targetCount: 1, filter: .area))

    init(_ weights: AxisWeights) {
        for target in weights.targets {
            firsts.append(Int32(target.first))
            for weight in target.weights { values.append(Float(weight)) }
            offsets.append(Int32(values.count))
        }
    }
}
