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
