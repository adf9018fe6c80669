internal import Platform

/// The steps of a Gaussian blur, which make its cost nearly independent of the radius.
///
/// A wide Gaussian leaves so little detail that few samples describe the result. The image is reduced by Gaussians,
/// each keeping one value of every `step`, and a cubic B-spline through the last ones is the blurred image. A B-spline
/// of spacing s is nearly a Gaussian of variance s²/3, and variances add up, so the last Gaussian gets the variance
/// that the other stages leave.
struct BlurStages: Hashable, Sendable {
    /// A Gaussian that keeps one value of every `step` along each side.
    struct Stage: Hashable, Sendable {
        var step: Int
        /// In values of the stage's input.
        var sigma: Double
    }

    /// At least one. A single stage has a step of 1 if no B-spline follows.
    let stages: [Stage]
    /// The distance between the last stage's values, in pixels.
    let spacing: Int

    /// The largest standard deviation that is summed pixel by pixel.
    static let widestDirect = 3.0

    /// Stages for a standard deviation of `sigma` pixels.
    init(sigma: Double) {
        guard sigma >= Self.widestDirect else {
            stages = [Stage(step: 1, sigma: sigma)]
            spacing = 1
            return
        }
        var stages: [Stage] = []
        var (spacing, rest) = (1, sigma * sigma)
        while sigma / Double(spacing) >= 10 {
            // A Gaussian of 0.7 steps leaves 6/100000 of the frequencies that would alias.
            let step = min(8, Int(sigma / Double(spacing) / 2.5))
            let stage = Stage(step: step, sigma: 0.7 * Double(step))
            rest -= stage.sigma * stage.sigma * Double(spacing * spacing)
            stages.append(stage)
            spacing *= step
        }
        // With a spacing of at most 2/3 σ, the B-spline's deviation from a Gaussian, and its steps, make a difference
        // of less than 1 in 800 along each side for any image.
        let step = max(1, Int(sigma / Double(spacing) / 1.5))
        rest -= Double(spacing * step) * Double(spacing * step) / 3
        stages.append(Stage(step: step, sigma: rest.squareRoot() / Double(spacing)))
        self.stages = stages
        self.spacing = spacing * step
    }
}

/// A blur along one side: the values that each stage sums, and the blurred pixels' positions among the last ones.
struct BlurAxis: Sendable {
    /// One stage's values: number i is the sum around value `origin + i * step` of the previous stage, or of the image.
    struct Level: Sendable {
        let step: Int
        let kernel: GaussianKernel
        /// May lie outside the previous stage's values.
        let origin: Int
        let count: Int
        /// The number of values of the previous stage.
        let sourceCount: Int

        /// The source values that the sums in `targets` reach, including ones outside 0..<`sourceCount`.
        func reach(of targets: Range<Int>) -> Range<Int> {
            origin + targets.lowerBound * step - kernel.reach..<origin + (targets.upperBound - 1) * step
                + kernel.reach + 1
        }
    }

    let levels: [Level]
    /// The distance between the last stage's values, in pixels: pixel x lies between values x / spacing + 1 and x /
    /// spacing + 2, and depends on one more at each side. With a spacing of 1 the last values are the pixels.
    let spacing: Int

    /// The blur of `length` pixels, seen through `window`, which may extend beyond them.
    init(_ stages: BlurStages, length: Int, window: Range<Int>) {
        spacing = stages.spacing
        // From the last stage back to the first: the positions of each one's values, in pixels of the image.
        var first = spacing > 1 ? window.lowerBound - spacing : window.lowerBound
        var count = spacing > 1 ? (window.count - 1) / spacing + 4 : window.count
        var levels: [Level] = []
        var (distance, reached) = (spacing, 0)
        let kernels = stages.stages.map { GaussianKernel(sigma: $0.sigma) }
        // The distance from the image's edges within which the values before each stage still change.
        var reaches: [Int] = []
        var unit = 1
        for (stage, kernel) in zip(stages.stages, kernels) {
            reaches.append(reached)
            reached += kernel.reach * unit
            unit *= stage.step
        }
        for index in stages.stages.indices.reversed() {
            let (step, kernel) = (stages.stages[index].step, kernels[index])
            distance /= step
            if index == 0 {
                levels.append(Level(step: step, kernel: kernel, origin: first, count: count, sourceCount: length))
                break
            }
            // The reach of the sums, in steps from the first one's middle, cut off where values no longer change.
            let least = Self.floor(-reaches[index] - first, distance)
            let most = -Self.floor(first - (length - 1 + reaches[index]), distance)
            let from = max(-kernel.reach, least)
            let to = max(from, min((count - 1) * step + kernel.reach, most))
            levels.append(Level(step: step, kernel: kernel, origin: -from, count: count, sourceCount: to - from + 1))
            first += from * distance
            count = to - from + 1
        }
        self.levels = levels.reversed()
    }

    /// `length` divided by `distance`, rounded down.
    private static func floor(_ length: Int, _ distance: Int) -> Int {
        length >= 0 ? length / distance : -((distance - 1 - length) / distance)
    }
}

/// The pixels that a blur assumes beyond an image's edges.
enum BlurEdges: Sendable {
    /// The nearest edge pixel: an opaque image stays opaque.
    case repeated
    /// Transparent black.
    case transparent
}

/// The weights of a Gaussian, sampled at integer distances.
struct GaussianKernel: Hashable, Sendable {
    /// The weight at each distance, starting at 0. Over both directions they sum to 1.
    let weights: [Double]

    /// The largest distance with a weight.
    var reach: Int { weights.count - 1 }

    /// A standard deviation of `sigma`. Values beyond 3.3 × `sigma`, 1 part in 1000, are ignored.
    init(sigma: Double) {
        let reach = Int((3.3 * sigma).rounded(.up))
        let values = (0...reach).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
        let sum = 2 * values.reduce(0, +) - values[0]
        weights = values.map { $0 / sum }
    }
}

/// The cubic B-spline that enlarges blurred values.
enum BSpline {
    /// The weights of the four nearest of evenly spaced values at `position`, 0…1 between the second and the third.
    static func weights(at position: Double) -> SIMD4<Double> {
        let (t, u) = (position, 1 - position)
        let second = (4 - 6 * t * t + 3 * t * t * t) / 6
        let third = (4 - 6 * u * u + 3 * u * u * u) / 6
        return SIMD4(u * u * u / 6, second, third, t * t * t / 6)
    }
}
