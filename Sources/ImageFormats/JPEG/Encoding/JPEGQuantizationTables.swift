internal import Platform

/// The steps between a coefficient's values, and what a bit is worth, for a quality.
///
/// Fitted over photographs for the smallest files with SSIMULACRA 2 scores from 65 to 89. Steps grow with the distance from DC,
/// slower than those of ITU-T T.81, table K.1. A quality scores about as libjpeg's.
struct JPEGQuantizationTables {
    /// Of luma and of chroma, row by row.
    let steps: [[UInt16]]
    /// The squared error that a bit is worth, for each fourth root of a block's energy.
    let bitCost: Float

    /// - Parameters:
    ///   - quality: 1 to 100, for which the scale of steps is libjpeg's.
    ///   - subsamples: Whether chroma has fewer samples than luma.
    init(quality: Int, subsamples: Bool) {
        let scale = quality < 50 ? 50 / Double(quality) : 2 - Double(quality) / 50
        func table(_ dc: Double, _ step: (Double) -> Double) -> [UInt16] {
            (0..<64).map { index in
                let (u, v) = (Double(index % 8), Double(index / 8))
                let value = index == 0 ? dc : step((u * u + v * v).squareRoot())
                return UInt16(min(max((scale * value).rounded(), 1), 255))
            }
        }
        let slope = subsamples ? 3.4 : 1.8
        let chroma = subsamples ? 11.5 : 20.7
        steps = [
            table(6.2) { 16.2 + slope * pow($0, 1.4) },
            table(0.62 * chroma) { chroma * (1 + 0.2 * pow($0, 1.3)) },
        ]
        bitCost = Float(1.94 * scale * scale)
    }

    /// Added to the fourth root of a block's energy.
    static let smoothCost: Float = 3.6
}
