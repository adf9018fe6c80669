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
