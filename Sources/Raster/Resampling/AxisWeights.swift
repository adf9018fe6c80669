internal import Platform

/// The old pixels along one side that contribute to each new one, with their weights.
package struct AxisWeights: Sendable {
    /// A new pixel: the old ones from `first` on, one for each weight.
    package struct Target: Sendable {
        package fileprivate(set) var first: Int
        /// The index of its first weight.
        fileprivate let offset: Int
        /// The number of its weights.
        package let count: Int

        /// The pixel behind the last one.
        var end: Int { first + count }
    }

    package let targets: [Target]
    /// The weights of all targets in one array, since an array for each would be allocated for each row and column.
    private let weights: [Double]

    /// The largest number of old pixels that contribute to a new one.
    package let longest: Int

    /// Weights for `targetCount` new pixels that cover `extent` old ones from `start` on, out of `sourceCount`.
    package init(sourceCount: Int, start: Double, extent: Double, targetCount: Int, filter: ResamplingFilter) {
        let step = extent / Double(targetCount)
        var targets: [Target] = []
        targets.reserveCapacity(targetCount)
        var weights: [Double] = []
        var longest = 1
        // At whole ratios the new pixels lie alike between old ones, and share their weights.
        let isWhole = filter != .area && step == step.rounded()
        let reach = Int((Double(filter.reach) * max(step, 1)).rounded(.up)) + 1
        for index in 0..<targetCount {
            let from = start + Double(index) * step
            let target: Target
            if isWhole, var last = targets.last, Int(from - step) >= reach, Int(from + step) + reach < sourceCount {
                last.first += Int(step)
                target = last
            } else if filter == .area {
                target = Self.covered(
                    from: from, to: start + Double(index + 1) * step, count: sourceCount, appendingTo: &weights)
            } else {
                target = Self.weighted(
                    filter, center: from + step / 2, stretch: max(step, 1), count: sourceCount, appendingTo: &weights)
            }
            longest = max(longest, target.count)
            targets.append(target)
        }
        self.targets = targets
        self.weights = weights
        self.longest = longest
    }

    /// The weights of a target, whose sum is 1.
    package func weights(of target: Target) -> ArraySlice<Double> {
        weights[target.offset..<(target.offset + target.count)]
    }

    /// Weights each old pixel by the length of its part between `from` and `to`.
    private static func covered(
        from: Double, to: Double, count: Int, appendingTo weights: inout [Double]
    ) -> Target {
        let first = min(count - 1, max(0, Int(from)))
        let end = min(count, max(first + 1, Int(to.rounded(.up))))
        let offset = weights.count
        for pixel in first..<end { weights.append(max(0, min(to, Double(pixel + 1)) - max(from, Double(pixel)))) }
        return normalized(first: first, from: offset, &weights)
    }

    /// Weights each old pixel by the filter's value at its centre.
    private static func weighted(
        _ filter: ResamplingFilter, center: Double, stretch: Double, count: Int, appendingTo weights: inout [Double]
    ) -> Target {
        let reach = Double(filter.reach) * stretch
        let first = min(count - 1, max(0, Int((center - reach).rounded(.down))))
        let end = min(count, max(first + 1, Int((center + reach).rounded(.up))))
        let offset = weights.count
        for pixel in first..<end { weights.append(value(of: filter, at: (Double(pixel) + 0.5 - center) / stretch)) }
        return normalized(first: first, from: offset, &weights)
    }

    /// Drops weights at both ends that are zero, and divides the rest by their sum.
    /// - Parameters:
    ///   - first: The old pixel of the weight at `offset`.
    ///   - weights: The target's weights from `offset` to the end.
    private static func normalized(first: Int, from offset: Int, _ weights: inout [Double]) -> Target {
        let count = weights.count - offset
        guard let left = weights[offset...].firstIndex(where: { abs($0) > 1e-9 }),
            let right = weights[offset...].lastIndex(where: { abs($0) > 1e-9 })
        else {
            weights.removeLast(count)
            weights.append(1)
            return Target(first: first + count / 2, offset: offset, count: 1)
        }
        let sum = weights[left...right].reduce(0, +)
        for index in left...right { weights[offset + index - left] = weights[index] / sum }
        let kept = right - left + 1
        weights.removeLast(count - kept)
        return Target(first: first + left - offset, offset: offset, count: kept)
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
            guard x >= 1e-12 else { return 1 }
            // sinc(x) · sinc(x / 3), where sin(3a) = sin(a) · (3 - 4 sin²(a)) saves one of two sines.
            let sine = sin(.pi * x / 3)
            return 3 * sine * sine * (3 - 4 * sine * sine) / (.pi * .pi * x * x)
        }
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
        for target in weights.targets {
            for weight in weights.weights(of: target) { largest = max(largest, abs(weight)) }
        }
        var shift = largestShift
        while shift > 0, largest * Double(1 << shift) > 32766 { shift -= 1 }
        self.shift = shift
        firsts.reserveCapacity(weights.targets.count)
        counts.reserveCapacity(weights.targets.count)
        offsets.reserveCapacity(weights.targets.count)
        values.reserveCapacity(weights.targets.reduce(0) { $0 + ($1.count + unit - 1) / unit * unit })
        let one = Double(1 << shift)
        for target in weights.targets {
            firsts.append(Int32(target.first))
            offsets.append(Int32(values.count))
            // Cumulative sums are rounded, not weights, so that each rounding error is carried to the next weight.
            var (sum, given) = (0.0, 0)
            for (index, weight) in weights.weights(of: target).enumerated() {
                sum += weight
                let upTo = index == target.count - 1 ? 1 << shift : Int((sum * one).rounded())
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
            for weight in weights.weights(of: target) { values.append(Float(weight)) }
            offsets.append(Int32(values.count))
        }
    }
}
