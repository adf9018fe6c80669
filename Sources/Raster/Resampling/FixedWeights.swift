/// Weights along one side as whole numbers of 16 bits: 1 is 2 to the power of `shift`.
package struct FixedWeights: Sendable {
    /// For each new pixel, the first old one.
    package private(set) var firsts: [Int32] = []
    /// For each new pixel, how many weights it has: a multiple of the unit asked for, the last ones 0 perhaps.
    package private(set) var counts: [Int32] = []
    /// For each new pixel, where its weights begin.
    package private(set) var offsets: [Int32] = []
    /// All weights, those of a pixel in a row.
    package private(set) var values: [Int16] = []
    /// How many bits stand for the fraction.
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
            // Sums are rounded and not weights, so that what rounding takes from one weight the next one gets.
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
