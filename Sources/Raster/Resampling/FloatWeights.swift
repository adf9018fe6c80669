/// Weights along one side as floating point numbers.
struct FloatWeights: Sendable {
    /// For each new pixel, the first old one.
    private(set) var firsts: [Int32] = []
    /// For each new pixel, where its weights begin; and where the last one's end.
    private(set) var offsets: [Int32] = [0]
    /// All weights, those of a pixel in a row.
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
