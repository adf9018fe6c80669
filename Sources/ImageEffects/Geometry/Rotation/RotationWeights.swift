package import Raster

/// A filter's weights for places between pixels, by steps of 1/1024: four for each, 16384 stands for 1.
package struct RotationWeights: Sendable {
    /// Bits after the point of a place that choose the weights.
    package static let phaseBits = 10
    /// What to add to a place so that it is cut off at the nearest phase.
    package static let half = 1 << (Rotation.fractionBits - phaseBits - 1)

    /// Each phase's four weights, every weight twice, as kernels take them.
    package let values: [Int16]

    /// The weights of a filter that reaches two pixels at most.
    package init(_ filter: ResamplingFilter) {
        var values: [Int16] = []
        values.reserveCapacity(8 << Self.phaseBits)
        for phase in 0..<(1 << Self.phaseBits) {
            let place = Double(phase) / Double(1 << Self.phaseBits)
            let weights = (-1...2).map { AxisWeights.value(of: filter, at: Double($0) - place) }
            // Sums are rounded and not weights, so that all four are exactly 1.
            var (sum, given) = (0.0, 0)
            for weight in weights {
                sum += weight
                let upTo = Int((sum * 16384).rounded())
                values.append(Int16(upTo - given))
                values.append(Int16(upTo - given))
                given = upTo
            }
        }
        self.values = values
    }
}
