internal import Platform

/// The steps in which a Gaussian blur is done, so that its cost hardly depends on its radius.
///
/// What a wide Gaussian leaves of a picture can be told from few samples. So a picture is made smaller by Gaussians, each
/// keeping one value of every `step`, and a cubic B-spline through the last ones is the blurred picture. A B-spline of
/// spacing s is nearly a Gaussian of variance s²/3, and variances add up: the last Gaussian gets what the others leave.
struct BlurStages: Hashable, Sendable {
    /// One Gaussian that keeps one value of `step` along each side.
    struct Stage: Hashable, Sendable {
        var step: Int
        /// In values of what the stage starts from.
        var sigma: Double
    }

    /// At least one; the only one has a step of 1 where no B-spline follows.
    let stages: [Stage]
    /// How many pixels apart the last stage's values are.
    let spacing: Int

    /// The widest Gaussian that is summed up pixel by pixel.
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
            // A Gaussian of 0.7 steps leaves 6/100000 of what would be taken for something coarser.
            let step = min(8, Int(sigma / Double(spacing) / 2.5))
            let stage = Stage(step: step, sigma: 0.7 * Double(step))
            rest -= stage.sigma * stage.sigma * Double(spacing * spacing)
            stages.append(stage)
            spacing *= step
        }
        // With a spacing of at most 2/3 σ what isn't Gaussian about the B-spline, and its steps, make a difference of
        // less than 1 in 800 along each side, whatever the picture.
        let step = max(1, Int(sigma / Double(spacing) / 1.5))
        rest -= Double(spacing * step) * Double(spacing * step) / 3
        stages.append(Stage(step: step, sigma: rest.squareRoot() / Double(spacing)))
        self.stages = stages
        self.spacing = spacing * step
    }
}

/// A blur along one side: which values each stage sums up, and where the blurred pixels lie among the last ones.
struct BlurAxis: Sendable {
    /// One stage's values: number i is the sum around value `origin + i * step` of the stage before, or of the picture.
    struct Level: Sendable {
        let step: Int
        let kernel: GaussianKernel
        /// May lie outside of what the stage before has.
        let origin: Int
        let count: Int
        /// How many values the stage before has.
        let sourceCount: Int

        /// The source values that the sums in `targets` reach; outside of 0..<`sourceCount` too.
        func reach(of targets: Range<Int>) -> Range<Int> {
            origin + targets.lowerBound * step - kernel.reach..<origin + (targets.upperBound - 1) * step
                + kernel.reach + 1
        }
    }

    let levels: [Level]
    /// How many pixels apart the last stage's values are: pixel x lies between values x / spacing + 1 and the next one,
    /// and the one before and the one after count as well. With 1 the last values are the pixels.
    let spacing: Int

    /// The blur of `length` pixels as seen in `window`, which may reach beyond them.
    init(_ stages: BlurStages, length: Int, window: Range<Int>) {
        spacing = stages.spacing
        // From the last stage back to the first: where each one's values lie, in pixels of the picture.
        var first = spacing > 1 ? window.lowerBound - spacing : window.lowerBound
        var count = spacing > 1 ? (window.count - 1) / spacing + 4 : window.count
        var levels: [Level] = []
        var (distance, reached) = (spacing, 0)
        let kernels = stages.stages.map { GaussianKernel(sigma: $0.sigma) }
        // How far from the picture's edges the values before each stage still change.
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
            // What the sums reach, in steps from the first one's middle, as far as it isn't the same anyway.
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

    /// The whole number of steps of `distance` that is nearest to `length` and not beyond it.
    private static func floor(_ length: Int, _ distance: Int) -> Int {
        length >= 0 ? length / distance : -((distance - 1 - length) / distance)
    }
}

/// What a blur finds beyond a picture's edges.
enum BlurEdges: Sendable {
    /// The nearest pixel of the edge: what is opaque stays so.
    case repeated
    /// Nothing.
    case transparent
}

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
