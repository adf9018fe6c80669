internal import Platform

/// The steps between a coefficient's values, and what a bit is worth, for a quality.
///
/// Fitted to scores of SSIMULACRA 2: the smallest files for scores from 70 to 90, over photographs. Steps grow with the
/// distance from DC, slower than those of ITU-T T.81, table K.1.
struct JPEGQuantizationTables {
    /// Of luma and of chroma, row by row.
    let steps: [[UInt16]]
    /// The squared error that a bit is worth, for each fourth root of a block's energy, of luma and of chroma.
    let bitCosts: [Float]

    /// - Parameters:
    ///   - quality: 1 to 100, for which the scale of steps is libjpeg's.
    ///   - subsamples: Whether chroma has fewer samples than luma.
    init(quality: Int, subsamples: Bool) {
        let scale = quality < 50 ? 50 / Double(quality) : 2 - Double(quality) / 50
        let chroma = subsamples ? 1.8 : 1.8
        func table(_ dc: Double, _ step: (Double) -> Double) -> [UInt16] {
            (0..<64).map { index in
                let (u, v) = (Double(index % 8), Double(index / 8))
                let value = index == 0 ? dc : step((u * u + v * v).squareRoot())
                return UInt16(min(max((16 * scale * value).rounded(), 1), 255))
            }
        }
        steps = [
            table(0.6) { 0.75 + 0.08 * pow($0, 1.4) },
            table(0.8 * chroma) { chroma * (1 + 0.2 * pow($0, 1.3)) },
        ]
        let cost = Float(2.4 * scale * scale)
        bitCosts = [cost, cost]
    }

    /// Added to the fourth root of a block's energy.
    static let smoothCost: Float = 3.8
}
